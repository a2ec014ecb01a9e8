// Note when inputs come, when the drawing differs and when that has been painted.
() => {
  const text = (root, selector) => [...root.querySelectorAll(selector)].map((node) => node.textContent).join();

  /** What a learner sees of each heat map, as one string; null while there is nothing yet. */
  const LOOKS = {
    ours: (root) => [...root.querySelectorAll("[data-stage=weights] td")]
      .map((td) => td.textContent + td.style.getPropertyValue("--shade")).join(),
    interact: (root) => {
      const image = root.querySelector("img");
      return image?.complete && image.naturalWidth ? image.src : null;
    },
    plotly: (root) => {
      const image = root.querySelector(".heatmaplayer image");
      const source = image?.getAttribute("href") ?? image?.getAttribute("xlink:href");
      return source ? source + text(root, ".heatmap-label text, .heatmaplayer text") : null;
    },
    bqplot: (root) => {
      const cells = [...root.querySelectorAll("rect.heatmapcell")];
      return cells.length ? cells.map((cell) => cell.style.fill).join() + text(root, ".heatmapcell_label") : null;
    },
  };

  const recorder = { inputs: [], frames: [], changed: 0 };
  let look = null;
  let pending = false;

  recorder.clear = () => Object.assign(recorder, { inputs: [], frames: [], changed: performance.now() });

  recorder.watch = (name, root) => {
    look = () => LOOKS[name](root);
    recorder.last = look();
    for (const type of ["keydown", "pointermove"])
      window.addEventListener(type, (event) => recorder.inputs.push(event.timeStamp), { capture: true });
    new MutationObserver(check).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    root.addEventListener("load", check, { capture: true }); // an image counts once it is there
    return recorder.last;
  };

  function check() {
    const now = look();
    if (now === null || now === recorder.last) return;
    recorder.last = now;
    recorder.changed = performance.now();
    if (pending) return;
    pending = true;
    const change = recorder.changed;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { // the first task after the frame
        pending = false;
        recorder.frames.push({ change, paint: performance.now(), state: recorder.last });
      };
      port2.postMessage(null);
    });
  }

  const until = async (done, seconds) => {
    const end = performance.now() + 1000 * seconds;
    while (!done() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
    return done();
  };

  /** After one key: when it came, what it changed, when that was painted (ms). */
  recorder.afterKey = async () => {
    if (!(await until(() => recorder.frames.length, 10))) return null;
    const [input] = recorder.inputs;
    const [{ change, paint }] = recorder.frames;
    return { change: change - input, paint: paint - input };
  };

  /** After a drag: wait until all is quiet, then how many states were seen and how late the last. */
  recorder.afterDrag = async () => {
    await until(() => performance.now() - Math.max(recorder.changed, recorder.inputs.at(-1)) > 1500 && !pending, 30);
    const { inputs, frames } = recorder;
    return {
      moves: inputs.length,
      seconds: (inputs.at(-1) - inputs[0]) / 1000,
      states: new Set(frames.map((frame) => frame.state)).size,
      lag: frames.length ? Math.max(0, frames.at(-1).paint - inputs.at(-1)) : null,
    };
  };
  /** After a click on *learn*: so many states, or all that come, and how long they took. */
  recorder.afterLearning = async (steps) => {
    const begun = performance.now();
    const seen = () => new Set(recorder.frames.map((frame) => frame.state)).size;
    await until(() => seen() >= steps || (recorder.frames.length && performance.now() - recorder.changed > 3000), 120);
    return { states: seen(), seconds: (recorder.frames.at(-1).paint - begun) / 1000 };
  };
  window.recorder = recorder;
}
