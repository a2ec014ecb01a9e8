// Mount one explorer, move one number `changes` times, and note what each cost (ms).
async ({ state, changes, mounts }) => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const root = document.createElement("div");
  window.recorder.root.replaceChildren(root);
  const layout = () => root.getBoundingClientRect().height;
  const timed = (act) => {
    const begun = performance.now();
    act();
    layout();
    return performance.now() - begun;
  };

  const first = [];
  for (let k = 0; k < mounts; k++) {
    if (k) window.growthUnmount();
    await frame();
    first.push(timed(() => (window.growthUnmount = window.helpers.mount(root, structuredClone(state)))));
    await frame();
  }

  const slider = root.querySelector("[data-stage=embeddings] input");
  slider.focus({ preventScroll: true });
  const each = [];
  for (let k = 0; k < changes; k++) {
    const key = k % 20 < 10 ? "ArrowRight" : "ArrowLeft";
    each.push(timed(() => slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))));
    await frame();
  }
  return { first, each };
}
