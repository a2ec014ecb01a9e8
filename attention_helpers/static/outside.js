// A state from outside, such as an address brings: what it must be before anything is done with it. The same as the traits of
// an `Explorer` in Python. A stranger wrote it: only names that are known, every field looked at, words are text.

import { TEXT } from "./words/en.js";
import { LEARNED, LIMITS, formOf } from "./facts.js";
import { DEFAULTS, DIVISORS, INPUTS, OPTIONS, RESET, TABLES, isDecided, pick, same } from "./options.js";
import { MASKS, overwritesNothing } from "./masks.js";
import { STAGES, compute } from "./engine.js";
import { QUESTIONS } from "./questions.js";
import { complete } from "./store.js";
import { CONTROLS } from "./controls.js";

/** What a link holds: all but the examples that a page has, and what follows from the rest. */
export const LINKED = Object.keys(OPTIONS).filter((name) => !["library", "reach"].includes(name));

/** Why something from outside is not taken: a text of words/, as its message. */
export class Refused extends Error {}
export const refuse = (why) => {
  throw new Refused(TEXT.links.refused[why]);
};

export const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
const isText = (x) => typeof x === "string" && !/[\0\p{Cs}]/u.test(x);
const isWord = (x) => isText(x) && [...x].length <= LIMITS.characters && /[^\p{Cc}\p{Cf}\s]/u.test(x);
const isDistinct = (list) => new Set(list).size === list.length;
const areWords = (x) => Array.isArray(x) && x.every(isWord) && isDistinct(x);
const isNumber = (x, most = Number.MAX_VALUE) => typeof x === "number" && Math.abs(x) <= most;
const isCount = (x, most = LIMITS.count) => Number.isInteger(x) && x >= 0 && x <= most;
const isBoolean = (x) => typeof x === "boolean";
const isRow = (x) => Array.isArray(x) && x.length > 0 && x.every((number) => isNumber(number, LIMITS.number));
const isRectangle = (x) => Array.isArray(x) && x.length > 0 && x.every((line) => Array.isArray(line) && line.length === x[0].length);
const isTable = (x) => isRectangle(x) && x[0].length <= LIMITS.columns && x.length * x[0].length <= LIMITS.numbers && x.every(isRow);
const isSquareOfFlags = (x) => isRectangle(x) && x.length === x[0].length && x.flat().every(isBoolean);
const orNull = (check) => (x) => x === null || check(x);
const oneOf = (table) => (x) => typeof x === "string" && Object.hasOwn(table, x);
const someOf = (names, most = Infinity) => (x) => Array.isArray(x) && x.length <= most && isDistinct(x) && x.every((name) => names.includes(name));
const record = (isName, check) => (x) => isObject(x) && Object.entries(x).every(([name, value]) => isName(name) && check(value));

/** Wishes of one row: a word, or one a head; null where a head has none. */
const isOneAHead = (x) => Array.isArray(x) && x.length <= LIMITS.heads && x.every(orNull(isWord)) && x.some(isWord);
const WISHED = { weights: (x) => isWord(x) || isOneAHead(x), context: isWord };
const isWishes = (kind, x) => Object.hasOwn(WISHED, kind) && isObject(x) && Object.keys(x).length > 0 && record(isWord, WISHED[kind])(x);
const isGoal = (x) => isObject(x) && Object.keys(x).length > 0 && Object.entries(x).every(([kind, wishes]) => isWishes(kind, wishes));
const hasKeys = (x, ...names) => isObject(x) && Object.keys(x).length === names.length && names.every((name) => Object.hasOwn(x, name));
const isSlider = (x) => hasKeys(x, "min", "max", "step") && Object.values(x).every((end) => isNumber(end, LIMITS.number)) && x.min < x.max && x.step > 0;
const isPreset = (x) => hasKeys(x, "token", "becomes", "embedding") && isWord(x.token) && isWord(x.becomes) && isRow(x.embedding);

/** What an option may be, where its first value in OPTIONS does not say it. */
const CHECKS = {
  tokens: (x) => areWords(x) && x.length > 0 && x.length <= LIMITS.words, embeddings: isTable,
  stages: orNull(someOf(Object.keys(STAGES))), edit: someOf(TABLES, LIMITS.edit),
  controls: (x) => someOf(Object.keys(CONTROLS), LIMITS.controls)(x), // that table stands in a module after this one
  train: (x) => someOf(LEARNED)(x) && x.length > 0,
  heads: (x) => isCount(x, LIMITS.heads) && x > 0, off: (x) => Array.isArray(x) && x.every((head) => isCount(head, LIMITS.heads - 1)) && isDistinct(x),
  query: orNull(isCount), step: orNull(isCount),
  divide_by: oneOf(DIVISORS), mask: oneOf(MASKS), normalise: oneOf(TEXT.normalise), axis: oneOf(TEXT.axis),
  dropout_p: (x) => isNumber(x) && x >= 0 && x < 1, dropout_keep: orNull(isSquareOfFlags),
  predict: orNull(oneOf(QUESTIONS)), predicted: orNull(isText),
  goal: orNull(isGoal), rate: (x) => isNumber(x) && x > 0,
  losses: (x) => Array.isArray(x) && x.length <= LIMITS.losses && x.every((loss) => isNumber(loss)),
  start: (x) => record((name) => RESET.includes(name), () => true)(x) && Object.entries(x).every(([name, value]) => isFit(name, value)),
  columns: record((name) => TABLES.includes(name), areWords), slider: orNull(isSlider), presets: record(isWord, isPreset),
};

/** Whether a value is of the kind of its option's first one: a number, a flag or a text. */
function isLike(first, x) {
  if (Number.isInteger(first)) return isCount(x);
  return typeof first === "number" ? isNumber(x) : typeof first === "string" ? isText(x) : isBoolean(first) && isBoolean(x);
}

/** Whether an option may have this value, whatever the others are. */
function isFit(name, x) {
  if (Object.hasOwn(CHECKS, name)) return CHECKS[name](x);
  return INPUTS.includes(name) ? x === null || isTable(x) : isLike(DEFAULTS[name], x);
}

/** The matrix whose columns are met by the rows of another. */
export const MEETS = Object.fromEntries(TABLES.slice(1).map((name) => [name, formOf(name).rows]));

/** Whether words and matrices have sizes that fit together. */
function areSizesFit(S) {
  const width = (name) => (S[name] ?? S.embeddings)[0].length;
  const meets = ([name, other]) => !S[name] || S[name].length === width(other);
  return S.embeddings.length === S.tokens.length && Object.entries(MEETS).every(meets) && width("W_query") === width("W_key");
}

const FREE = ["losses", "train"]; // what the store may make fit without a loss

/** A whole state from one that came from outside; `Refused` where it is not one that an explorer can show. */
export function checked(given) {
  if (!isObject(given)) refuse("no_state");
  if (Object.keys(given).some((name) => !LINKED.includes(name))) refuse("unknown");
  const state = { ...pick(DEFAULTS, LINKED), ...given };
  for (const name of LINKED) {
    const isLeftOut = isDecided(name) && !Object.hasOwn(given, name);
    if (!isLeftOut && !isFit(name, state[name])) refuse("unfit");
  }
  if (state.start) state.start = { ...pick({ ...DEFAULTS, ...state.start }, INPUTS), ...state.start };
  if (state.start && !INPUTS.every((name) => isFit(name, state.start[name]))) refuse("unfit");
  if (![state, state.start ?? state].every(areSizesFit)) refuse("unfit");
  if (!overwritesNothing(state.mask) && (state.normalise !== "softmax" || state.axis !== "rows")) refuse("unfit");
  let whole;
  try {
    whole = complete(state);
    compute(whole);
  } catch {
    refuse("unfit");
  }
  if (Object.keys(given).some((name) => !FREE.includes(name) && !same(whole[name], state[name]))) refuse("unfit");
  return whole;
}
