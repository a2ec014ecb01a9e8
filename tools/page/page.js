// Every explorer and laboratory of the page, from top to bottom; the first one is alive before the rest.
{
  const states = JSON.parse(STATES);
  const laboratories = JSON.parse(LABORATORIES);
  const all = { ...states, ...laboratories };
  const keep = KEEP; // the classroom page keeps what was moved in its address
  const prefix = "#state=";
  vary(Object.values(states), JSON.parse(VARIANTS));

  /** With ?seed=7 in the address: the numbers of that variant, as examples.variant("bank", 7) draws them. */
  function vary(explorers, { tokens, embeddings, drawn }) {
    const seed = new URLSearchParams(location.search).get("seed");
    const known = explorers.filter((S) => same(S.start.tokens, tokens) && same(S.start.embeddings, embeddings));
    if (!known.length || seed === null) return;
    const isSeed = /^\d{1,10}$/.test(seed);
    document.querySelector(isSeed ? "[data-seed]" : "[data-no-seed]").hidden = false;
    if (!isSeed) return;
    const variant = drawn[seed % drawn.length];
    const varied = (x, i, j) => (x === embeddings[i]?.[j] ? variant.embeddings[i][j] : x);
    for (const S of known) {
      S.embeddings = S.embeddings.map((row, i) => row.map((x, j) => varied(x, i, j)));
      S.start = { ...S.start, embeddings: variant.embeddings };
      for (const [title, preset] of Object.entries(S.presets))
        S.presets[title] = { ...preset, embedding: variant.presets[title] ?? preset.embedding };
    }
    for (const link of document.querySelectorAll('a[href$=".html"]:not([href*="/"])')) link.search = `seed=${seed}`;
  }

  function kept() {
    if (!keep || !location.hash.startsWith(prefix)) return {};
    try {
      const held = JSON.parse(decodeURIComponent(location.hash.slice(prefix.length)));
      return isObject(held) ? held : {};
    } catch {
      return {}; // an address that was cut short
    }
  }

  const changes = kept();

  function remember(name, patch) {
    const changed = Object.entries({ ...changes[name], ...patch })
      .filter(([key, value]) => !same(value, all[name][key]));
    changes[name] = Object.fromEntries(changed);
    if (!changed.length) delete changes[name];
    write();
  }

  const written = Array(8).fill(-Infinity); // when, the last times
  let later = null;

  /** Put the changes into the address, eight times a second at most: WebKit throws at the 101st time in ten seconds. */
  function write() {
    const wait = written[0] + 1000 - performance.now();
    if (wait > 0) later ??= setTimeout(put, wait);
    else put();
  }

  function put() {
    clearTimeout(later);
    later = null;
    written.push(performance.now());
    written.shift();
    const hash = Object.keys(changes).length ? prefix + encodeURIComponent(JSON.stringify(changes)) : "";
    try {
      history.replaceState(null, "", location.pathname + location.search + hash);
    } catch {
      // a frame that may not: the explorers go on without an address
    }
  }

  const explorers = [...document.querySelectorAll("[data-explorer]")];
  const link = opened(location.hash); // such as #explorer-3=…, from the menu of the third explorer of this page
  const target = link.isNamed ? explorers[link.which - 1] : null;
  let note = null;
  if (link.isNamed) {
    try {
      const state = pick(await decode(target ? link.text : refuse("no_such")), LINKED);
      const { explorer: name } = target.dataset;
      if (keep) remember(name, state);
      else changes[name] = state;
    } catch (error) {
      const why = error instanceof Refused ? error.message : TEXT.links.failed;
      note = make("p", { className: "note", role: "alert" }, fill(TEXT.links.not_opened, { why }));
      (target ?? document.querySelector("main").firstChild).before(note);
    }
  }

  for (const root of document.querySelectorAll("[data-explorer], [data-laboratory]")) {
    const name = root.dataset.explorer ?? root.dataset.laboratory;
    const onRest = keep ? (patch) => remember(name, patch) : null;
    const home = `${HERE}#explorer-${explorers.indexOf(root) + 1}=`;
    const into = (state) => (root.dataset.explorer ? mount : mountLaboratory)(root, state, onRest, home);
    try {
      const state = { ...all[name], ...changes[name] };
      if (changes[name] && root.dataset.explorer) checked(pick(state, LINKED.filter((option) => Object.hasOwn(state, option))));
      into(state);
    } catch (error) {
      if (!changes[name]) throw error;
      delete changes[name]; // an address that does not fit
      into(all[name]);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }

  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  (note ?? target)?.scrollIntoView();

  if (keep) addEventListener("pagehide", () => later !== null && put());
  addEventListener("hashchange", () => (opened(location.hash).isNamed || (keep && location.hash.startsWith(prefix))) && location.reload());
}
