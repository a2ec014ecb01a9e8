// The truth while a hand is on a control: one store for all views of one explorer.

import { LIMITS } from "./facts.js";
import { LOSS_IS_OF, TABLES, UNDOABLE, pick, same, trainable, withDefaults } from "./options.js";
import { extent } from "./numbers.js";
import { needsQuery, question } from "./questions.js";
import { compute } from "./engine.js";
import { canShare } from "./heads.js";
import { goalOf, loss, wishes } from "./learning.js";

/** A whole state from a partial one: at least tokens and embeddings. */
export const complete = (state) => settled(recalled(withDefaults(state)));

const joining = (listeners) => (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

// Hold a state and tell views of every change. A gesture begins with `grasp` or the first `change` and ends with
// `release`; in between, changes from outside are ignored, and listeners for rest hear what changed once, at the end.
// `rules` says what must hold of a state; else it is an explorer's.
export function createStore(given, rules = EXPLORER) {
  const views = new Set();
  const restListeners = new Set();
  const { complete, settled, rested, undoable: undone } = rules;
  const { begun = (old, now) => now, recorded = (now) => now, recalled = (now) => now } = rules; // what is learned
  let history = [];
  let before = null; // the state when the hand came; null while there is no hand
  let timer = null;

  const store = {
    state: complete(given),
    lost: false, // whether the Python side is gone
    interrupt: null, // ends what moves numbers by itself, when a hand comes
    get hand() {
      return before !== null;
    },
    listen: joining(views),
    onRest: joining(restListeners),
    tell: () => views.forEach((view) => view()),
    grasp() {
      store.interrupt?.();
      clearTimeout(timer);
      before ??= store.state;
    },
    change(patch) {
      store.grasp();
      store.state = begun(store.state, settled({ ...store.state, ...patch }), patch);
      store.tell();
    },
    release() {
      store.interrupt?.();
      clearTimeout(timer);
      const [old, now] = [before ?? store.state, store.state];
      before = null;
      store.state = recorded(rested(now));
      if (!same(store.state.reach, now.reach) || store.state.losses !== now.losses) store.tell();
      const changed = Object.keys(now).filter((name) => !same(old[name], store.state[name]));
      const undoable = changed.filter((name) => undone.includes(name));
      if (undoable.length) history.push(pick(old, undoable));
      for (const listener of restListeners) listener(pick(store.state, changed));
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
      const earlier = history.slice(0, -1);
      store.edit(history.at(-1));
      history = earlier;
    },
    /** A change from outside, such as the kernel; a hand on a control comes first. */
    receive(patch) {
      const news = Object.keys(patch).filter((name) => !same(patch[name], store.state[name]));
      if (store.hand || news.length === 0) return;
      if (["start", "tokens"].some((name) => news.includes(name))) history = []; // another sentence: nothing to go back to
      const now = { ...store.state, ...pick(patch, news) };
      store.state = rested(settled(recalled({ ...now, tied: now.tied && same(now.W_query, now.W_key) })));
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

export const setRow = (matrix, i, row) => matrix.map((old, r) => (r === i ? row : old));
export const setCell = (matrix, i, j, x) => setRow(matrix, i, matrix[i].map((old, c) => (c === j ? x : old)));

function decimals(x) {
  const [digits, exponent] = String(x).split("e");
  return Math.max(0, (digits.split(".")[1] ?? "").length - Number(exponent ?? 0));
}

/** base + k steps in exact decimals: 0.1 + 0.2 is 0.3, and k = 0 is the start value. */
export const stepped = (base, k, step) =>
  k === 0 ? base : Number((base + k * step).toFixed(Math.min(100, Math.max(decimals(base), decimals(step)))));

/** A row stretched by a factor, or flipped by a negative one, with two more decimals. */
export const stretched = (row, factor) =>
  row.map((x) => within(-LIMITS.number, LIMITS.number, Number((x * factor).toFixed(Math.min(100, decimals(x) + 2))) + 0));
export const within = (least, most, x) => Math.min(most, Math.max(least, x));

/** The smallest of 1, 2, 5, 10, 20, … that is at least x. */
export function nice(x) {
  let size = 1;
  for (let k = 0; size < x && k < 60; k++) size *= [2, 2.5, 2][k % 3];
  return size;
}

// ---- what was learned so far: the loss at the start and after each step, of a hand or of the machine ----

const lossOf = (state) => loss(compute(state));

/** One more loss of a way. */
export const further = (losses, next) => [...losses, next].slice(-LIMITS.losses);
/** Where another loss is meant, its way begins. */
const begunAnew = (old, now, patch) =>
  "losses" in patch || !now.goal || LOSS_IS_OF.every((name) => same(old[name], now[name])) ? now : { ...now, losses: [lossOf(now)] };
/** A hand that comes to rest has made a step. */
function recorded(state) {
  const now = state.goal && lossOf(state);
  return now === null || now === state.losses.at(-1) ? state : { ...state, losses: further(state.losses, now) };
}
/** Losses from outside are kept where they end at the loss of these inputs. */
function recalled(state) {
  const goal = state.goal && goalOf(state, wishes(state));
  const now = goal && lossOf({ ...state, goal });
  return Math.abs(state.losses.at(-1) - now) <= 1e-9 * now ? state : { ...state, losses: goal ? [now] : [] };
}

/** What an option becomes: the very same where nothing changes. */
const kept = (old, now) => (same(old, now) ? old : now);

/** What must hold after any change: options that fit the inputs, W_key tied to W_query. */
function settled(given) {
  const heads = canShare(given, given.heads) ? given.heads : 1;
  const state = { ...given, heads, off: kept(given.off, given.off.filter((head) => heads > 1 && head < heads)) };
  const n = state.tokens.length;
  const [here, trained] = [state.edit, state.train].map((names) => names.filter((name) => state[name]));
  const goal = kept(state.goal, state.goal && goalOf(state, wishes(state)));
  const query = state.query < n ? state.query : needsQuery(state) ? n - 1 : null;
  return reaching({
    ...state, goal, query,
    predict: question({ ...state, goal, query }) ? state.predict : null,
    losses: !goal ? kept(state.losses, []) : state.losses.length ? state.losses : [lossOf({ ...state, goal })],
    train: trained.length === state.train.length ? state.train : trainable(state),
    edit: here.length === state.edit.length ? state.edit : here.length ? here : ["embeddings"],
    dropout_keep: state.dropout_keep?.length === n ? state.dropout_keep : null,
    W_key: state.tied ? state.W_query : state.W_key,
  });
}

const EXPLORER = { complete, settled, rested, undoable: UNDOABLE, begun: begunAnew, recorded, recalled };

/** Remember how far beyond its range a matrix has reached: its sliders stay that wide. */
function reaching(state) {
  const reach = { ...state.reach };
  for (const name of TABLES.filter((name) => state[name])) {
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
const symmetric = (size) => ({ min: -size, max: size, step: String(size)[0] === "2" ? size / 200 : size / 100 });

/** How many decimals a matrix is printed with: as many as it needs, at most two. */
export const decimalsOf = (state, name) =>
  Math.min(2, Math.max(...state[name].flat().map(decimals), decimals(range(state, name).step)));
