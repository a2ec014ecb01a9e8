// Every explorer of the page, from top to bottom; the first one is alive before the rest.
{
  const states = JSON.parse(STATES);
  const keep = KEEP; // the classroom page keeps what was moved in its address
  const prefix = "#state=";
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function kept() {
    if (!keep || !location.hash.startsWith(prefix)) return {};
    try {
      return JSON.parse(decodeURIComponent(location.hash.slice(prefix.length))) ?? {};
    } catch {
      return {}; // an address that was cut short
    }
  }

  const changes = kept();

  function remember(name, patch) {
    const changed = Object.entries({ ...changes[name], ...patch })
      .filter(([key, value]) => !same(value, states[name][key]));
    changes[name] = Object.fromEntries(changed);
    if (!changed.length) delete changes[name];
    const hash = Object.keys(changes).length ? prefix + encodeURIComponent(JSON.stringify(changes)) : "";
    history.replaceState(null, "", location.pathname + location.search + hash);
  }

  for (const root of document.querySelectorAll("[data-explorer]")) {
    const name = root.dataset.explorer;
    const onRest = keep ? (patch) => remember(name, patch) : null;
    try {
      mount(root, { ...states[name], ...changes[name] }, onRest);
    } catch (error) {
      if (!changes[name]) throw error;
      delete changes[name]; // an address that does not fit
      mount(root, states[name], onRest);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }

  if (keep) addEventListener("hashchange", () => location.hash.startsWith(prefix) && location.reload());
}
