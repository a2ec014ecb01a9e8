// The options of an explorer: one table, from which every list of them follows.
//
// A state is plain JSON with an entry for each. Here: what it is at first, what goes for it (i, it is one of the inputs;
// s, synced with Python; u, undone by Ctrl+Z; b, builds the page anew; r, brought back by reset; l, with it another loss is
// meant), and what it is instead of null where the others decide.

import { LEARNED } from "./facts.js";

export const OPTIONS = {
  tokens: [undefined, "isubrl"], embeddings: [undefined, "isur"],
  W_query: [null, "isur"], W_key: [null, "isur"], W_value: [null, "isur"], W_out: [null, "isur"],
  stages: [null, "s"], edit: [["embeddings"], "sub"], query: [null, "subr"], controls: [[], "sb"],
  divide_by: [null, "subrl", (S) => (S.W_query && S.W_key ? "sqrt_d_k" : "1")],
  mask: ["none", "subrl"], normalise: ["softmax", "subr"], axis: ["rows", "subr"], dropout_p: [0, "surl"], dropout_keep: [null, "surl"],
  heads: [1, "subrl"], off: [[], "subrl"], // how many heads, and which of them are switched off
  predict: [null, "sb"], predicted: [null, "sb"], step: [null, "sb"], large: [false, "sb"],
  goal: [null, "surl"], rate: [0.5, "subr"], slopes: [false, "sb"], losses: [[], "sur"], // see learning.js
  train: [null, "s", (S) => trainable(S)],
  start: [null, "su", (S) => pick(S, RESET)], // what reset goes back to
  columns: [{}, "sub"], slider: [null, "su"], presets: [{}, "sub"], library: [{}, "s"], example: ["", "sub"],
  tied: [false, "ur"], // whether W_key follows W_query
  reach: [{}, ""], // how far beyond their range numbers were moved
};

/** The matrices that make queries, keys and values; and the two of them that `tied` makes one. */
export const MATRICES = LEARNED.slice(1);
export const TIED = ["W_query", "W_key"];

/** The inputs that learning moves where nothing else is said. */
export function trainable(S) {
  const here = TIED.filter((name) => S[name]);
  return here.length ? here : ["embeddings"];
}

export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);
export const pick = (state, names) => Object.fromEntries(names.map((name) => [name, state[name]]));
const flagged = (flag) => Object.keys(OPTIONS).filter((name) => OPTIONS[name][1].includes(flag));
export const [INPUTS, SYNCED, UNDOABLE, BUILDS, RESET, LOSS_IS_OF] = [..."isubrl"].map(flagged);
export const TABLES = INPUTS.filter((name) => name !== "tokens");
export const DEFAULTS = Object.fromEntries(Object.entries(OPTIONS).map(([name, [first]]) => [name, first]));
export const isDecided = (name) => OPTIONS[name].length === 3;

/** A whole state from a partial one: at least tokens and embeddings. */
export function withDefaults(state) {
  const full = { ...DEFAULTS, ...state };
  for (const name of Object.keys(OPTIONS).filter(isDecided)) full[name] ??= OPTIONS[name][2](full);
  return full;
}

/** What reset brings back: what was at the start, else what is at first. */
export const startOver = ({ start }) => pick({ ...DEFAULTS, ...start }, RESET.filter((name) => name in start || !isDecided(name)));

/** What the root is taken of that scores are divided by. */
export const DIVISORS = {
  1: () => 1, sqrt_d_k: (S) => S.queries[0].length,
  sqrt_d_in: (S) => S.embeddings[0].length,
  sqrt_n_tokens: (S) => S.tokens.length,
};

export const drops = (S) => S.dropout_p > 0 && S.dropout_keep !== null;
export const isKept = (S, i, j) => S.dropout_keep[i][j];
