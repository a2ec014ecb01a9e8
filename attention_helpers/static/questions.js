// Predict first: each question, its choices, the right ones, and why a choice is wrong.
// Everything is computed from the state; a question takes the stages S.

import { STAGES, compute, contextMoves } from "./engine.js";
import { exactly, largest, percent, selfish } from "./words.js";
import { drops, isKept, isMasked, sum } from "./options.js";

const choice = (value, text = value) => ({ value: String(value), text: String(text) });
const sentence = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
const stageName = (stage) => (stage === "weights" ? "attention weights" : stage.replace("_", " "));

/** The computed stages that move when a matrix is doubled. */
function moved(S, W) {
  const doubled = compute({ ...S, [W]: S[W].map((row) => row.map((x) => 2 * x)) });
  const differs = (a, b) => a.some((row, i) => row.some((x, j) => Math.abs(x - b[i][j]) > 1e-9));
  return Object.keys(STAGES).filter((name) => {
    const plain = !["scaled_scores", "masked_scores"].includes(name); // they move with the scores
    return STAGES[name].run && plain && differs(S[name].map(finite), doubled[name].map(finite));
  });
}

const finite = (row) => row.map((x) => (Number.isFinite(x) ? x : 0));

function doubling(W, why) {
  return {
    fits: (S) => S.W_query !== null && S.W_key !== null && S.W_value !== null,
    ask: () => `You double every number of ${W}. What moves?`,
    choices(S) {
      const all = ["queries", "keys", "values", "scores", "weights", "context"];
      const sets = [...["W_query", "W_key", "W_value"].map((name) => moved(S, name)), ["weights", "context"], all];
      const distinct = [...new Set(sets.map((set) => set.join(",")))];
      return distinct.map((set) => choice(set, set ? sentence(set.split(",").map(stageName)) : "nothing"));
    },
    right: (S) => [moved(S, W).join(",")],
    result: (S) => sentence(moved(S, W).map(stageName)),
    why: () => why,
  };
}

/** The rows whose context moves when the last word's embedding changes. */
function movedRows(S) {
  const last = S.tokens.length - 1;
  const poke = (x, k) => x + (0.7 + k / 3) * Math.max(1, Math.abs(x));
  const poked = compute({ ...S, embeddings: S.embeddings.map((row, i) => (i === last ? row.map(poke) : row)) });
  return S.tokens.flatMap((_, i) => (contextMoves(S, poked, i) ? [i] : []));
}

function whichRows(S) {
  const n = S.tokens.length;
  const rows = movedRows(S);
  if (rows.length === 0) return "none";
  if (rows.length === n) return "all";
  return rows.length === 1 && rows[0] === n - 1 ? "last" : "some";
}

export const QUESTIONS = {
  largest_weight: {
    fits: (S) => S.query !== null,
    ask: (S) => `Which word gets the largest attention weight when ${S.tokens[S.query]} asks?`,
    choices: (S) => S.tokens.map((token) => choice(token)),
    right: (S) => largest(S.weights[S.query]).map((j) => S.tokens[j]),
    result(S) {
      const top = largest(S.weights[S.query]);
      if (top.length === 0) return "no word: a share is undefined, since the sum it is divided by is 0";
      return `${sentence(top.map((j) => S.tokens[j]))}, with ${percent(S.weights[S.query][top[0]])}`;
    },
    why(S, said) {
      const j = S.tokens.indexOf(said);
      const scores = S.masked_scores[S.query];
      const top = largest(S.weights[S.query])[0];
      if (j < 0 || top === undefined) return "";
      if (drops(S) && !isKept(S, S.query, j)) return `Dropout hit the share of ${said}.`;
      if (isMasked(S, "weights", S.query, j)) return `${said} comes after ${S.tokens[S.query]}: the mask hides it.`;
      const compare = `Its score is ${exactly(scores[j])}, the score of ${S.tokens[top]} is ${exactly(scores[top])}`;
      if (j === S.query) return `${compare}: a word need not be its own best match.`;
      return `${compare}. Attention knows these numbers, not the world.`;
    },
  },
  most_to_themselves: {
    fits: () => true,
    ask: (S) => `How many of the ${S.tokens.length} words look most at themselves?`,
    choices: (S) => Array.from({ length: Math.min(S.tokens.length, 8) + 1 }, (_, k) => choice(k))
      .concat(S.tokens.length > 8 ? [choice("more", "more than 8")] : []),
    right: (S) => [selfish(S).length > 8 ? "more" : String(selfish(S).length)],
    result(S) {
      const words = selfish(S).map((i) => S.tokens[i]);
      return words.length && words.length <= 8 ? `${words.length}: ${sentence(words)}` : String(words.length);
    },
    why(S, said) {
      if (said === String(S.tokens.length)) return "A score is not an angle: a longer word elsewhere can win against the word itself.";
      if (said === "0") return "The asking word is looked at too, and it is often a good match for itself.";
      return "A dot product rewards both direction and length.";
    },
  },
  double_W_query: doubling("W_query", "Keys and values do not pass through W_query; everything after the queries does."),
  double_W_key: doubling("W_key", "Queries and values do not pass through W_key; everything after the keys does."),
  double_W_value: doubling("W_value", "W_value comes in after the attention weights, so they cannot move."),
  last_word_changes: {
    fits: (S) => S.tokens.length > 1,
    ask: (S) => `The last word, ${S.tokens.at(-1)}, changes. Which contexts move?`,
    choices: (S) => [
      choice("last", `only ${S.tokens.at(-1)}'s own`),
      choice("some", `some, not just ${S.tokens.at(-1)}'s own`),
      choice("none", "none"),
      choice("all", "all of them"),
    ],
    right: (S) => [whichRows(S)],
    result: (S) => ({ none: "none", all: "all of them", last: `only ${S.tokens.at(-1)}'s own` })[whichRows(S)] ??
      sentence(movedRows(S).map((i) => S.tokens[i])),
    why(S, said) {
      if (said === "none") return `${S.tokens.at(-1)} asks too, and its own row uses its own numbers.`;
      if (said === "all") return "A word that may not look at it cannot notice it.";
      return said === "some" ? "Rows ask, columns are looked at: follow the column of the last word." : "Every word that may look at it mixes it in.";
    },
  },
  zero_scores_hide: {
    fits: (S) => S.tokens.length > 1,
    ask: () => "True or false: writing 0 over the scores of later words hides them.",
    choices: () => [choice("true"), choice("false")],
    right: (S) => [String(leaked(S) === 0)],
    result: (S) => String(leaked(S) === 0),
    why: (S) => `exp(0) is 1, not 0: ${S.tokens[0]} would give ${percent(leaked(S))} of its attention to later words, and its row would still sum to 1.`,
  },
};

/** What the first word gives to later words when 0 is written over their scores. */
function leaked(S) {
  const zeroed = compute({ ...S, mask: "zero_scores", normalise: "softmax", axis: "rows", dropout_p: 0 });
  return sum(zeroed.weights[0].slice(1));
}

export const UNSURE = "I don't know";
export const SKIPPED = "skipped";

/** The question a state asks, or null. */
export function question(S) {
  const asked = QUESTIONS[S.predict];
  return asked && asked.fits(S) ? asked : null;
}

/** Locked: a question waits for an answer. */
export const isLocked = (S) => question(S) !== null && S.predicted === null;

/** What to say once an answer is given. */
export function verdict(S, said) {
  const asked = question(S);
  const picked = asked.choices(S).find(({ value }) => value === said);
  const right = asked.right(S).includes(said);
  const it = `It is ${asked.result(S)}.`;
  if (said === SKIPPED) return it;
  if (!picked) return `You said: ${said}. ${it}`;
  return right ? `You said ${picked.text}, and so it is: ${asked.result(S)}.` : `You said ${picked.text}. ${it} ${asked.why(S, said)}`;
}
