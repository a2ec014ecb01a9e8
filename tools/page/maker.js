// One explorer, and below it what sets it up: every option of OPTIONS. Its state stands in the address.
{
  const { maker: WORDS } = TEXT;
  const root = document.querySelector("[data-state]");
  const first = { ...JSON.parse(root.dataset.state), controls: [] }; // its one control has brought the examples
  const panel = document.querySelector(".maker");
  const isEmbedded = document.documentElement.classList.contains("embed");
  const note = (why) => make("p", { className: "note", role: "alert" }, fill(TEXT.links.not_opened, { why }));
  const whyNot = (error) => (error instanceof Refused ? error.message : TEXT.links.failed);

  async function fromAddress() {
    const { text } = opened(location.hash);
    if (!text) return first;
    try {
      return { ...(await decode(text)), library: first.library };
    } catch (error) {
      root.before(note(whyNot(error)));
      return first;
    }
  }

  const store = createStore(await fromAddress());
  mount(root, store, null, `${HERE}#`);

  // ---- the address ----

  let later = null;
  /** A moment after the hand rests: WebKit throws at the 101st time in ten seconds. */
  function remember() {
    clearTimeout(later);
    later = setTimeout(async () => {
      const { state } = store;
      const text = await encode(state).catch(() => null);
      if (text === null || state !== store.state) return;
      try {
        history.replaceState(null, "", `${location.pathname}${location.search}#${text}`);
      } catch {
        // a frame that may not: the explorer goes on without an address
      }
      const code = panel.querySelector("[data-key=embed]");
      if (code) code.value = `<iframe src="${HERE}?embed#${text}" width="100%" height="700" sandbox="allow-scripts allow-downloads" allow="clipboard-write"></iframe>`;
    }, 200);
  }
  store.onRest(remember);
  addEventListener("hashchange", () => location.reload());

  // ---- changes ----

  let said = ""; // what there is to say of the last change
  const drawn = () => Math.round(20 * Math.random() - 10) / 10;
  const sized = (old, rows, columns) =>
    Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => old?.[i]?.[j] ?? drawn()));

  /** Take a change, or say that it does not fit; then show how things are. */
  function take(patch) {
    try {
      const state = complete({ ...store.state, ...patch });
      if ((patch.heads ?? state.heads) !== state.heads) refuse("unfit"); // they cannot share the columns
      checked(pick(state, LINKED));
      store.edit({ ...patch, train: state.train });
      said = "";
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      said = WORDS.refused;
    }
    build();
  }

  /** Take other words or sizes: they are the start, too. */
  const takeInputs = (patch) =>
    take({ tied: false, dropout_keep: null, dropout_p: 0, ...patch, start: { ...store.state.start, ...pick({ ...store.state, ...patch }, INPUTS) } });

  function takeWords(tokens, embeddings) {
    const labels = tokens.map((word, k) => {
      let label = word;
      for (let n = 2; tokens.slice(0, k).includes(label); n++) label = `${word} (${n})`;
      return label;
    });
    takeInputs({ tokens: labels, embeddings });
  }

  /** How many columns each table has; 0 where there is none. */
  const widths = (S) => Object.fromEntries(TABLES.map((name) => [name, S[name]?.[0].length ?? 0]));

  function takeWidth(name, width) {
    const S = store.state;
    const wide = { ...widths(S), [name]: width };
    if (TIED.includes(name)) Object.assign(wide, { W_query: width, W_key: width }); // they meet
    const rows = (table) => (table === "embeddings" ? S.tokens.length : wide[MEETS[table]] || wide.embeddings);
    const tables = Object.fromEntries(TABLES.map((table) => [table, wide[table] ? sized(S[table], rows(table), wide[table]) : null]));
    const named = Object.entries(S.columns).filter(([table]) => tables[table]).map(([table, names]) =>
      [table, tables[table][0].map((_, k) => names[k] ?? `${formOf(table).letter}${k + 1}`)]);
    takeInputs({ ...tables, columns: Object.fromEntries(named), presets: {} });
  }

  // ---- fields ----

  const label = (name) => fill(WORDS.labels[name] ?? TEXT.controls[name] ?? name, { most: LIMITS[name] });
  const field = (name, ...inputs) => make("label", { className: "field", data: { field: name } }, label(name), " ", ...inputs);
  const group = (title, ...children) => make("fieldset", {}, make("legend", {}, title), ...children);
  const keyed = (element, key) => Object.assign(element, { onkeydown: enter }).setAttribute("data-key", key) ?? element;
  const enter = (event) => event.key === "Enter" && event.target.matches("input") && event.target.blur();
  const push = (text, onclick, key, more) => keyed(make("button", { type: "button", onclick, ...more }, text), key);

  const choose = (name, options, now, onpick, key = name) => {
    const select = make("select", {}, ...options.map(([text], k) => make("option", { value: String(k), selected: same(options[k][1], now) }, text)));
    select.onchange = ({ target }) => onpick(options[Number(target.value)][1]);
    return keyed(select, key);
  };
  const number = (name, now, limits, onset, key = name) =>
    keyed(make("input", { type: "number", step: "any", ...limits, value: now ?? "", onchange: (event) => onset(event.target.value === "" ? null : Number(event.target.value)) }), key);
  const text = (name, now, onset, key = name) =>
    keyed(make("input", { type: "text", maxLength: LIMITS.characters, value: now, onchange: (event) => onset(event.target.value) }), key);
  const tick = (name, now, onset, key = name) =>
    keyed(make("input", { type: "checkbox", checked: now, onchange: (event) => onset(event.target.checked) }), key);

  const menuOfTexts = (texts) => (S, name) =>
    field(name, choose(name, Object.entries(texts).map(([value, text]) => [text.name ?? text, value]), S[name], (value) => take({ [name]: value })));

  /** Some of many names: a box for each, of which `most` may be ticked. */
  const some = (names, texts, most = Infinity, shown = (S, name) => S[name]) => (S, name) => {
    const now = shown(S, name);
    const boxes = names(S).map((one) => {
      const box = tick(name, now.includes(one), (on) => take({ [name]: on ? [...now, one] : now.filter((other) => other !== one) }), `${name}-${one}`);
      box.disabled = now.length >= most && !box.checked;
      return make("label", {}, box, " ", texts(one));
    });
    return group(label(name), ...boxes);
  };
  const headsWith = (some, head, on) => [...some.filter((other) => other !== head), ...(on ? [head] : [])].sort((a, b) => a - b);
  const title = (name) => TEXT.stages[name];
  const present = (S) => TABLES.filter((name) => S[name]);
  const indices = (S) => [[TEXT.options.all, null], ...S.tokens.map((word, i) => [word, i])];

  function goalFields(S) {
    const wanted = (kind, row, column) => {
      const kept = wishes(S).filter((wish) => wish.kind !== kind || wish.row !== row);
      const [i, j] = [S.tokens.indexOf(row), labels(S, kind).cols.indexOf(column)];
      take({ goal: goalOf(S, column === null ? kept : [...kept, { kind, i, j, row, column, at: 0 }]) });
    };
    const line = (kind) => S.tokens.map((row) => {
      const { column = null } = wishes(S).find((wish) => wish.kind === kind && wish.row === row) ?? {};
      const options = [[WORDS.no_wish, null], ...labels(S, kind).cols.map((name) => [name, name])];
      return make("label", {}, `${row} → `, choose("goal", options, column, (name) => wanted(kind, row, name), `goal-${kind}-${row}`));
    });
    return group(label("goal"), make("p", {}, title("weights")), ...line("weights"), make("p", {}, title("context")), ...line("context"));
  }

  /** What sets an option, where its first value does not say it; null: something else does. */
  const FIELDS = {
    ...Object.fromEntries(["tokens", ...TABLES, "columns", "dropout_keep", "start", "losses", "predicted", "library", "presets", "reach", "tied"].map((name) => [name, null])),
    stages: some((S) => Object.keys(STAGES).filter((stage) => S[stage] !== null), title, Infinity, visibleStages), edit: some(present, title, LIMITS.edit), train: some(present, title),
    controls: some(() => Object.keys(CONTROLS).filter((name) => name !== "preset"), (name) => TEXT.controls[name] ?? name, LIMITS.controls),
    query: (S, name) => field(name, choose(name, indices(S), S.query, (query) => take({ query }))),
    divide_by: menuOfTexts(TEXT.divisors), mask: menuOfTexts(TEXT.masks), normalise: menuOfTexts(TEXT.normalise), axis: menuOfTexts(TEXT.axis),
    dropout_p: (S, name) => field("dropout", number(name, S.dropout_p, { min: 0, max: 0.9, step: 0.1 }, (p) =>
      take({ dropout_p: p ?? 0, dropout_keep: p > 0 ? S.tokens.map(() => S.tokens.map(() => Math.random() >= p)) : null }))),
    predict(S, name) {
      const askable = Object.keys(QUESTIONS).filter((asked) => QUESTIONS[asked].fits(S));
      const all = [[WORDS.no_question, null], ...askable.map((asked) => [questionText({ ...S, predict: asked }), asked])];
      return field(name, choose(name, all, S.predict, (predict) => take({ predict, predicted: null })));
    },
    heads: (S, name) => field(name, number(name, S.heads, { min: 1, max: LIMITS.heads, step: 1 }, (heads) => take({ heads: heads ?? 1 }))),
    off: (S, name) => (S.heads === 1 ? null : group(label(name), ...headNames(S).map((text, head) =>
      make("label", {}, tick(name, S.off.includes(head), (on) => take({ off: headsWith(S.off, head, on) }), `off-${head}`), " ", text)))),
    step: (S, name) => field(name, tick(name, S.step !== null, (on) => take({ step: on ? 0 : null }))),
    goal: goalFields,
    slider: (S, name) => group(label(name), ...["min", "max", "step"].map((end) => make("label", {}, `${end} `,
      number(name, S.slider?.[end], {}, (x) => take({ slider: x === null ? null : { ...range(S, "embeddings"), ...S.slider, [end]: x } }), `slider-${end}`)))),
  };

  /** The field of an option that has no entry: by its first value. */
  function fieldLike(S, name) {
    const firstValue = DEFAULTS[name];
    const set = (value) => take({ [name]: value ?? firstValue });
    if (typeof firstValue === "boolean") return field(name, tick(name, S[name], set));
    if (typeof firstValue === "number") return field(name, number(name, S[name], Number.isInteger(firstValue) ? { min: 0, step: 1 } : { min: 0 }, set));
    return typeof firstValue === "string" ? field(name, text(name, S[name], set)) : null;
  }

  function wordFields(S) {
    const boxes = S.tokens.map((word, i) => make("span", { className: "word" },
      Object.assign(text("word", word, (now) => takeWords(S.tokens.map((old, k) => (k === i ? now.trim() : old)), S.embeddings), `word-${i}`), { ariaLabel: fill(WORDS.word, { n: i + 1 }) }),
      push("×", () => takeWords(S.tokens.filter((_, k) => k !== i), S.embeddings.filter((_, k) => k !== i)), `drop-${i}`,
        { "aria-label": fill(WORDS.drop, { word }), disabled: S.tokens.length === 1 })));
    const add = (said) => {
      const more = said.split(/\s+/).filter(Boolean);
      takeWords([...S.tokens, ...more], sized(S.embeddings, S.tokens.length + more.length, S.embeddings[0].length));
    };
    const adding = Object.assign(text("add", "", add, "add"), { placeholder: WORDS.add, ariaLabel: WORDS.add, maxLength: 1000 });
    return group(WORDS.words, ...boxes, adding);
  }

  function tableFields(S) {
    const wide = widths(S);
    return group(WORDS.matrices, ...TABLES.map((name) => make("div", { className: "table" },
      make("label", {}, title(name), " ",
        number(name, wide[name], { min: name === "embeddings" ? 1 : 0, max: 16, step: 1 }, (width) => takeWidth(name, range16(name, width)), `width-${name}`)),
      ...(S[name] ? labels(S, name).cols : []).map((column, j, all) =>
        Object.assign(text(name, column, (now) => take({ columns: { ...S.columns, [name]: all.map((old, k) => (k === j ? now.trim() : old)) } }), `column-${name}-${j}`),
          { ariaLabel: fill(WORDS.column, { table: title(name), n: j + 1 }), size: 8 })))));
  }
  const range16 = (name, width) => within(name === "embeddings" ? 1 : 0, 16, Math.round(width ?? 0));

  const KEPT_TRUE = ["onchange", "onclick", "onkeydown", "onfocus", "checked", "disabled", "value"];

  /** Make the content of an element like another's, in place: who types or clicks there keeps hold of it. */
  function renew(old, like) {
    const [now, then] = [[...old.childNodes], [...like.childNodes]];
    then.forEach((next, k) => {
      const here = now[k];
      if (!here) return old.append(next);
      if (here.nodeName !== next.nodeName || here.dataset?.key !== next.dataset?.key) return here.replaceWith(next);
      if (!next.dataset) return write(here, next.textContent);
      for (const { name, value } of next.attributes) here.setAttribute(name, value);
      renew(here, next);
      for (const name of KEPT_TRUE) if (name in next && here[name] !== next[name]) here[name] = next[name];
    });
    for (const one of now.slice(then.length)) one.remove();
  }

  function build() {
    const S = store.state;
    const examples = Object.keys(S.library).map((name) => [S.library[name].example, name]);
    const load = (name) => take({ ...S.library[name], start: { ...S.start, ...pick(S.library[name], INPUTS) }, goal: null, predict: null, predicted: null, query: null, tied: false, dropout_keep: null, dropout_p: 0 });
    const options = Object.keys(OPTIONS).map((name) => (name in FIELDS ? FIELDS[name]?.(S, name) : fieldLike(S, name))).filter(Boolean);
    const embedding = keyed(make("input", { type: "text", readOnly: true, onfocus: (event) => event.target.select() }), "embed");
    renew(panel, make("section", {},
      make("h2", {}, WORDS.title), make("p", { role: "status" }, said),
      make("label", { className: "field" }, WORDS.load, " ", choose("load", [[WORDS.as_it_is, null], ...examples], null, (name) => name !== null && load(name))),
      wordFields(S), tableFields(S), ...options,
      make("p", {}, push(WORDS.start_here, () => take({ start: pick(S, Object.keys(S.start)) }), "start"), " ", WORDS.start_why),
      make("label", { className: "field" }, WORDS.embed, " ", embedding)));
    remember();
  }

  if (!isEmbedded) {
    build();
    store.onRest(() => panel.contains(document.activeElement) || build());
  }
}
