// Predict first: each question, its choices, the right ones, and why a choice is wrong.
// Everything is computed from the stages S; the texts stand in words/.

import { TEXT, listed } from "./words/en.js";
import { compared, fill, isolated, largest, lossText, number, percent, sum } from "./numbers.js";
import { MATRICES, drops, isKept } from "./options.js";
import { MASKS, isMasked } from "./masks.js";
import { STAGES, compute, contextMoves, isEach, isHere, isInput, isSquare, labels } from "./engine.js";
import { headNames, headsOf } from "./heads.js";
import { loss, wishes } from "./learning.js";
import { selfish } from "./sentences.js";

/** The head that a question about one row of shares asks about: the last one. */
const asked = (S) => headsOf(S).at(-1);
/** A text about the words of a state. */
const about = (S, text, places) =>
  fill(text, {
    head: headNames(S).at(-1), n: S.tokens.length, first: S.tokens[0], last: S.tokens.at(-1), query: S.tokens[S.query ?? 0],
    goal: sayWishes(S), matrix: TEXT.stages[S.edit[0]], ...places,
  });
function sayWishes(S) {
  const text = ({ kind }) => TEXT.learning[S.heads > 1 && kind === "weights" ? "weights_of_head" : kind];
  return wishes(S).map((wish) => fill(text(wish), { ...wish, head: headNames(S)[wish.head] })).join(", ");
}
const choice = (value, text = String(value)) => ({ value: String(value), text });
const wordsOf = (S, rows) => listed(rows.map((i) => S.tokens[i]));

const ANSWERS = Object.keys(STAGES).filter((name) => !isInput(name) && !STAGES[name].follows);
const finite = (row) => row.map((x) => (Number.isFinite(x) ? x : 0));
const titles = (stages) => (stages.length ? listed(stages.map((name) => TEXT.stages[name])) : TEXT.answers.nothing);

/** The computed stages that move when a matrix is doubled. */
function moved(S, W) {
  const doubled = compute({ ...S, [W]: S[W].map((row) => row.map((x) => 2 * x)) });
  const differs = (a, b) => a.some((row, i) => row.some((x, j) => Math.abs(x - b[i][j]) > 1e-9));
  const all = (of, name) => (isEach(S, name) ? of.each.flatMap((one) => one[name]) : of[name]).map(finite);
  return answers(S).filter((name) => differs(all(S, name), all(doubled, name)));
}
/** The stages that a question may be about, of those there are. */
const answers = (S) => ANSWERS.filter((name) => isHere(S, name));

function doubling(W) {
  return {
    fits: (S) => MATRICES.every((name) => S[name] !== null),
    choices(S) {
      const sets = [...MATRICES.map((name) => moved(S, name)), ["weights", ...answers(S).filter((name) => STAGES[name].line && !isSquare(name))], answers(S)];
      return [...new Map(sets.map((set) => [set.join(","), titles(set)]))].map(([value, text]) => choice(value, text));
    },
    right: (S) => [moved(S, W).join(",")],
    result: (S) => titles(moved(S, W)),
    why: () => TEXT.why_not[`double_${W}`],
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
  const [rows, n] = [movedRows(S), S.tokens.length];
  if (rows.length === 0 || rows.length === n) return rows.length ? "all" : "none";
  return rows.length === 1 && rows[0] === n - 1 ? "last" : "some";
}

/** What the first word gives to later words when 0 is written over their scores. */
function leaked(S) {
  const zeroed = compute({ ...S, mask: "zero_scores", normalise: "softmax", axis: "rows", dropout_p: 0 });
  return sum(asked(zeroed).weights[0].slice(1));
}

/** The names of the rows that a question about slopes is about, and the loss once the first number of each is up by 0.5. */
function raised(S) {
  const name = S.edit[0];
  const up = (k) => S[name].map((line, i) => line.map((x, j) => (i === k && j === 0 ? x + 0.5 : x)));
  return labels(S, name).rows.map((row, k) => ({ row, loss: loss(compute({ ...S, [name]: up(k) })) }));
}

/** Losses in words: as the share that is wished for, where there is one wish. */
function lost(S, losses) {
  const isOne = wishes(S).length === 1;
  const said = Object.entries(losses).map(([name, x]) => [name, isOne ? number(Math.exp(-x)) : lossText(x)]);
  return { what: TEXT.answers[isOne ? "share" : "loss"], ...Object.fromEntries(said) };
}

/** The rows that help most; none where all help the same. */
function steepest(S) {
  const losses = raised(S);
  const best = Math.min(...losses.map((one) => one.loss));
  const top = losses.filter((one) => one.loss - best <= 1e-9 * best);
  return top.length === losses.length ? [] : top;
}

/** A score, not divided, as the text has it; or what a mask wrote over it. */
const scored = (S, i, j) => (S.masked_scores[i][j] === S.scaled_scores[i][j] ? S.scores[i][j] : S.masked_scores[i][j]);

/** A word with a larger score elsewhere, and its two scores in words; none, if none has. */
function turnsAway(S) {
  for (const [i, word] of S.tokens.entries()) {
    const top = largest(S.weights[i]);
    if (top.length === 0 || top.includes(i) || !(scored(S, i, top[0]) > scored(S, i, i))) continue;
    const [own, best] = compared(scored(S, i, i), scored(S, i, top[0]));
    return { word, own, best, other: S.tokens[top[0]] };
  }
  return null;
}

const MOST = 8; // words that are counted and named

/**
 * Every question, in the order of words/. An entry says, of the stages S:
 * fits: whether it can be asked (NEEDS in traits.py says so, too); needsQuery: whether it is about the word that asks
 * choices: the answers to choose from, each a value and its text; right: the values that are right; result: what is, in words
 * why: a sentence about the choice that was made, "" for none
 */
export const QUESTIONS = {
  largest_weight: {
    needsQuery: true,
    fits: (S) => S.query !== null,
    choices: (S) => S.tokens.map((token) => choice(token)),
    right: (S) => largest(asked(S).weights[S.query]).map((j) => S.tokens[j]),
    result(all) {
      const S = asked(all);
      const top = largest(S.weights[S.query]);
      const share = percent(S.weights[S.query][top[0]]);
      const kind = ["undefined", "largest", "largest_each"][Math.min(top.length, 2)];
      return fill(TEXT.answers[kind], { words: wordsOf(S, top), share });
    },
    why(all, said) {
      const S = asked(all);
      const [i, j] = [S.query, S.tokens.indexOf(said)];
      const [top] = largest(S.weights[i]);
      if (j < 0 || top === undefined) return "";
      if (largest(S.weights[i]).includes(j)) {
        if (!largest(S.masked_scores[i]).includes(j)) return "";
        return fill(TEXT.why_not[S.mask === "none" ? "largest" : "largest_left"], { said, score: compared(scored(S, i, j))[0] });
      }
      if (drops(S) && !isKept(S, i, j)) return fill(TEXT.why_not.dropped, { said });
      const why = fill(MASKS[S.mask].why, { row: S.tokens[i], column: said });
      if (isMasked(S, "weights", i, j)) return fill(TEXT.why_not.hidden, { why });
      const text = j === i ? TEXT.why_not.itself : TEXT.why_not.less;
      const [score, best] = compared(scored(S, i, j), scored(S, i, top));
      return fill(text, { said, score, top: S.tokens[top], best });
    },
  },
  most_to_themselves: {
    fits: () => true,
    choices: (S) => Array.from({ length: Math.min(S.tokens.length, MOST) + 1 }, (_, k) => choice(k))
      .concat(S.tokens.length > MOST ? [choice("more", fill(TEXT.answers.more, { most: MOST }))] : []),
    right: (S) => [selfish(asked(S)).length > MOST ? "more" : String(selfish(asked(S)).length)],
    result(all) {
      const S = asked(all);
      const count = selfish(S).length;
      return count && count <= MOST ? fill(TEXT.answers.counted, { count, words: wordsOf(S, selfish(S)) }) : String(count);
    },
    why(S) {
      const turned = turnsAway(asked(S));
      return turned ? fill(TEXT.why_not.turns_away, turned) : TEXT.why_not.themselves;
    },
  },
  double_W_query: doubling("W_query"),
  double_W_key: doubling("W_key"),
  double_W_value: doubling("W_value"),
  last_word_changes: {
    fits: (S) => S.tokens.length > 1,
    choices: (S) => ["last", "some", "none", "all"].map((value) => choice(value, about(S, TEXT.answers[value]))),
    right: (S) => [whichRows(S)],
    result: (S) => (whichRows(S) === "some" ? wordsOf(S, movedRows(S)) : about(S, TEXT.answers[whichRows(S)])),
    why(S, said) {
      if (said !== whichRows(S)) return about(S, TEXT.why_not[said]);
      return { last: TEXT.why_not.all, all: TEXT.why_not.last, some: TEXT.why_not.some, none: "" }[said];
    },
  },
  zero_scores_hide: {
    fits: (S) => S.tokens.length > 1,
    choices: () => ["true", "false"].map((value) => choice(value, TEXT.answers[value])),
    right: (S) => [String(leaked(S) === 0)],
    result: (S) => TEXT.answers[leaked(S) === 0],
    why: (S) => (leaked(S) === 0 ? "" : about(S, TEXT.why_not.zeros, { share: percent(leaked(S)) })),
  },
  steepest: {
    fits: (S) => S.goal !== null && S.edit.length > 0,
    choices: (S) => [...labels(S, S.edit[0]).rows, TEXT.answers.same].map((row) => choice(row)),
    right: (S) => (steepest(S).length ? steepest(S).map(({ row }) => row) : [TEXT.answers.same]),
    result(S) {
      const top = steepest(S);
      if (!top.length) return TEXT.answers.same;
      return fill(TEXT.answers.steepest, { words: listed(top.map(({ row }) => row)), ...lost(S, { from: loss(S), to: top[0].loss }) });
    },
    why(S, said) {
      if (this.right(S).includes(said)) return "";
      const mine = raised(S).find(({ row }) => row === said);
      return mine ? fill(TEXT.why_not.steepest, { said, ...lost(S, { to: mine.loss }) }) : TEXT.why_not.not_the_same;
    },
  },
};

/** What the answer to a question is by now, where moves have made it another one since it was judged. */
export function since(S, judged) {
  const it = question(S);
  if (!judged || !it || (questionText(S) === judged.question && it.result(S) === judged.result)) return "";
  return isolated(S, about(S, sinceText(S, judged), { result: it.result(S) }));
}

/** The question's word may be another one by now. */
const sinceText = (S, judged) => TEXT[needsQuery(S) && questionText(S) !== judged.question ? "since_asking" : "since"];

/** About the longest text that `since` comes to. */
export function longestSince(S, judged) {
  const results = [judged.result, ...question(S).choices(S).map(({ text }) => text)];
  return about(S, sinceText(S, judged), { result: results.reduce((longest, result) => (result.length > longest.length ? result : longest)) });
}

export const UNSURE = TEXT.answers.unsure;
export const SKIPPED = "skipped";

/** Whether the question of a state is about one asking word. */
export const needsQuery = ({ predict }) => QUESTIONS[predict]?.needsQuery === true;
/** The question a state asks, or null; and its text. */
export const question = (S) => [(S.questions ?? QUESTIONS)[S.predict]].find((it) => it?.fits(S)) ?? null;
export const questionText = (S) => isolated(S, about(S, question(S).text ?? textOf(S)));
const textOf = (S) => (S.heads > 1 && TEXT.questions_of_head[S.predict]) || TEXT.questions[S.predict];
/** Locked: a question waits for an answer. */
export const isLocked = (S) => question(S) !== null && S.predicted === null;

/** What to say once an answer is given, and whether that was right, wrong, unsure or skipped. */
export function verdict(S, said) {
  const it = question(S);
  const picked = it.choices(S).find(({ value }) => value === said);
  const kind = said === SKIPPED ? "skipped" : !picked ? "unsure" : it.right(S).includes(said) ? "right" : "wrong";
  const why = kind === "wrong" || kind === "right" ? it.why(S, said) : "";
  return { kind, text: isolated(S, fill(TEXT.verdicts[kind], { said: picked?.text ?? said, result: it.result(S), why })).trimEnd() };
}
