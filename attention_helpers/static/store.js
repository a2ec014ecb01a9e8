// The truth while a hand is on a control: one store for all views of one explorer.

export const INPUTS = ["tokens", "embeddings", "W_query", "W_key", "W_value"];
export const LIMIT = 1e6; // no input may be larger

export const DEFAULTS = {
  W_query: null, W_key: null, W_value: null, stages: null, edit: ["embeddings"], query: null,
  divide_by: null, mask: "none", normalise: "softmax", axis: "rows", dropout_p: 0, dropout_keep: null,
  controls: [], predict: null, predicted: null, step: null, large: false, start: null,
  columns: {}, slider: null, presets: {}, library: {}, example: "", reach: {}, tied: false,
};

// What Ctrl+Z brings back: numbers and choices, not answers given or steps taken.
const UNDOABLE = [...INPUTS, "start", "columns", "slider", "presets", "example", "query", "edit", "divide_by",
  "mask", "normalise", "axis", "dropout_p", "dropout_keep", "tied"];

const pick = (state, names) => Object.fromEntries(names.map((name) => [name, state[name]]));
const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** A whole state from a partial one: at least tokens and embeddings. */
export function complete(state) {
  const full = { ...DEFAULTS, ...state };
  full.divide_by ??= full.W_query && full.W_key ? "sqrt_d_k" : "1";
  full.start ??= pick(full, INPUTS);
  return settled(full);
}

/**
 * Hold a state and tell views of every change.
 *
 * A gesture begins with `grasp` or the first `change` and ends with `release`; in between,
 * changes from outside are ignored, and listeners for rest hear what changed once, at the end.
 */
export function createStore(given) {
  const views = new Set();
  const restListeners = new Set();
  let history = [];
  let before = null; // the state when the hand came; null while there is no hand
  let timer = null;

  const store = {
    state: complete(given),
    lost: false, // whether the Python side is gone
    get hand() {
      return before !== null;
    },
    listen(view) {
      views.add(view);
      return () => views.delete(view);
    },
    onRest(listener) {
      restListeners.add(listener);
      return () => restListeners.delete(listener);
    },
    tell() {
      for (const view of views) view();
    },
    grasp() {
      clearTimeout(timer);
      before ??= store.state;
    },
    change(patch) {
      store.grasp();
      store.state = settled({ ...store.state, ...patch });
      store.tell();
    },
    release() {
      clearTimeout(timer);
      const [old, now] = [before ?? store.state, store.state];
      before = null;
      store.state = rested(now);
      if (!same(store.state.reach, now.reach)) store.tell();
      const changed = Object.keys(now).filter((name) => !same(old[name], now[name]));
      const undoable = changed.filter((name) => UNDOABLE.includes(name));
      if (undoable.length) history.push(pick(old, undoable));
      for (const listener of restListeners) listener(pick(now, changed));
    },
    releaseSoon() {
      clearTimeout(timer);
      timer = setTimeout(store.release, 250);
    },
    /** One whole gesture: a button, a menu. */
    edit(patch) {
      store.change(patch);
      store.release();
    },
    undo() {
      if (store.hand) store.release();
      if (history.length === 0) return;
      const [earlier, old] = [history.slice(0, -1), history.at(-1)];
      store.edit(old);
      history = earlier;
    },
    /** A change from outside, such as the kernel; a hand on a control comes first. */
    receive(patch) {
      const news = Object.keys(patch).filter((name) => !same(patch[name], store.state[name]));
      if (store.hand || news.length === 0) return;
      if (news.includes("start")) history = []; // another example: nothing to go back to
      const now = { ...store.state, ...pick(patch, news) };
      store.state = rested(settled({ ...now, tied: now.tied && same(now.W_query, now.W_key) }));
      store.tell();
    },
  };
  return store;
}

/** A matrix as at the start; null where Python has put in one of another size. */
export function startOf(state, name) {
  const [start, now] = [state.start[name], state[name]];
  return start && now && start.length === now.length && start[0].length === now[0].length ? start : null;
}

// ---- edits of single numbers ----

export const setCell = (matrix, i, j, x) =>
  matrix.map((row, r) => (r === i ? row.map((old, c) => (c === j ? x : old)) : row));
export const setRow = (matrix, i, row) => matrix.map((old, r) => (r === i ? row : old));

function decimals(x) {
  const [digits, exponent] = String(x).split("e");
  return Math.max(0, (digits.split(".")[1] ?? "").length - Number(exponent ?? 0));
}

/** base + k steps in exact decimals: 0.1 + 0.2 is 0.3, and k = 0 is the start value. */
export function stepped(base, k, step) {
  if (k === 0) return base;
  return Number((base + k * step).toFixed(Math.min(100, Math.max(decimals(base), decimals(step)))));
}

/** A row stretched by a factor, or flipped by a negative one, with two more decimals. */
export const stretched = (row, factor) =>
  row.map((x) => within(-LIMIT, LIMIT, Number((x * factor).toFixed(Math.min(100, decimals(x) + 2))) + 0));

export const within = (least, most, x) => Math.min(most, Math.max(least, x));

/** The smallest of 1, 2, 5, 10, 20, … that is at least x. */
export function nice(x) {
  let size = 1;
  for (let k = 0; size < x && k < 60; k++) size *= [2, 2.5, 2][k % 3];
  return size;
}

const extent = (matrix) => Math.max(...matrix.flat().map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));

/** What must hold after any change: options that fit the inputs, W_key tied to W_query. */
function settled(state) {
  const n = state.tokens.length;
  const here = state.edit.filter((name) => state[name]);
  return reaching({
    ...state,
    edit: here.length === state.edit.length ? state.edit : here.length ? here : ["embeddings"],
    query: state.query < n ? state.query : state.predict === "largest_weight" ? n - 1 : null, // that asks of one word
    dropout_keep: state.dropout_keep?.length === n ? state.dropout_keep : null,
    W_key: state.tied ? state.W_query : state.W_key,
  });
}

/** Remember how far beyond its range a matrix has reached: its sliders stay that wide. */
function reaching(state) {
  const reach = { ...state.reach };
  for (const name of INPUTS.slice(1)) {
    if (!state[name]) continue;
    const { min, max } = firstRange(state, name);
    const all = state[name].flat();
    if (all.some((x) => x < min || x > max)) reach[name] = Math.max(reach[name] ?? 0, ...all.map(Math.abs));
  }
  return { ...state, reach };
}

/** What to remember once the hand rests: nothing of a matrix that is as at the start. */
function rested(state) {
  const moved = Object.entries(state.reach).filter(([name]) => !same(state[name], state.start[name]));
  return reaching({ ...state, reach: Object.fromEntries(moved) });
}

/** The slider range of a matrix: the example's, or one that holds the start values; a larger number widens it. */
export function range(state, name) {
  const first = firstRange(state, name);
  return state.reach[name] ? { ...symmetric(nice(state.reach[name])), step: first.step } : first;
}

const firstRange = (state, name) => state.slider ?? symmetric(nice(extent(state.start[name] ?? state[name])));

function symmetric(size) {
  const step = String(size)[0] === "2" ? size / 200 : size / 100;
  return { min: -size, max: size, step };
}

/** How many decimals a matrix is printed with: as many as it needs, at most two. */
export function decimalsOf(state, name) {
  const most = Math.max(...state[name].flat().map(decimals), decimals(range(state, name).step));
  return Math.min(2, most);
}
