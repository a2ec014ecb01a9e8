// State in, stages out; explain; lights. No DOM, nothing fetched. NumPy is the reference.
// Rows are queries, columns are keys, one token a row.

import { TEXT } from "./words/en.js";
import { beside, column, divideBySum, dot, product, productT, softmax, sum, transpose } from "./numbers.js";
import { exactly, fill, one, parted, products, result, signed, two } from "./numbers.js";
import { SHOWN_WHERE, formOf } from "./facts.js";
import { columnsOfHead, headNames, headsOf, ofHead, stagesOf } from "./heads.js";
import { DIVISORS, drops, isKept } from "./options.js";
import { MASKS, actsAt, fate, masked, unmasked } from "./masks.js";
import { sayShare } from "./sentences.js";

const row = (stage, i) => ({ stage, row: i, col: null });
const col = (stage, j) => ({ stage, row: null, col: j });
const cell = (stage, i, j) => ({ stage, row: i, col: j });

const input = (formula) => ({ formula: () => formula, run: null, from: () => [], say: () => [TEXT.say.input] });
const matrix = (W) => input(fill(TEXT.formulas.matrix, { verb: TEXT.verbs[W] }));

const projection = (W) => ({
  same: (S) => !S[W] && "embeddings",
  formula: (S) => (S[W] ? fill(TEXT.formulas.projection, { W }) : TEXT.formulas.unprojected),
  run: (S) => (S[W] ? product(S.embeddings, S[W]) : S.embeddings),
  back: (S, slopes) => (S[W] ? { embeddings: productT(slopes, S[W]), [W]: product(transpose(S.embeddings), slopes) } : { embeddings: slopes }),
  from: (S, i, j) => (S[W] ? [row("embeddings", i), col(W, j)] : [cell("embeddings", i, j)]),
  say(S, i, j) {
    const sum = S[W] ? products(S.embeddings[i], column(S[W], j)) : one(exactly(S.embeddings[i][j]));
    return [TEXT.say.projection, { verb: TEXT.verbs[W], sum }];
  },
});

/** A table of every word with every word. */
const square = (entry) => ({ line: true, headed: true, ...entry });

/**
 * Every stage, in order; its title stands in words/; in facts.js the form of its table where that is no square, and where it is shown if
 * that is not everywhere. An entry says:
 * line: whether it stands in the line from scores to output; headed: whether each head has its own
 * sums: whether it has sums; scale: where its colour ends
 * same: the stage with the same numbers, where this one does nothing
 * follows: whether it moves just as the scores do, so that no question asks for it
 * formula: its heading; run: its computation, null for an input; from: the cells that a number comes from
 * back: from its slopes, those of the stages it comes from (see learning.js), for softmax along rows
 * say: the sentence for a number, and what stands in its places besides {row}, {column}, {why} and {result}
 * Beside their own numbers two leave more: S.divisor; S.shares before mask and dropout, S.undropped before dropout
 */
export const STAGES = {
  embeddings: input(TEXT.formulas.embeddings),
  W_query: matrix("W_query"),
  W_key: matrix("W_key"),
  W_value: matrix("W_value"),
  W_out: matrix("W_out"),
  queries: projection("W_query"),
  keys: projection("W_key"),
  values: projection("W_value"),
  scores: square({
    formula(S, visible) {
      if (visible.includes("queries") || S.W_query || S.W_key) return TEXT.formulas.scores;
      if (S.query === null) return TEXT.formulas.scores_of_embeddings;
      return fill(TEXT.formulas.scores_of_word, { word: S.tokens[S.query] });
    },
    run: (S) => productT(S.queries, S.keys),
    back: (S, slopes) => ({ queries: product(slopes, S.keys), keys: product(transpose(slopes), S.queries) }),
    from: (S, i, j) => [row("queries", i), row("keys", j)],
    say: (S, i, j) => [TEXT.say.scores, { sum: products(S.queries[i], S.keys[j]) }],
  }),
  scaled_scores: square({
    follows: true,
    same: (S) => S.divisor === 1 && "scores",
    formula: (S) => fill(TEXT.formulas.scaled_scores, { divisor: TEXT.divisors[S.divide_by] }),
    run(S) {
      S.divisor = Math.sqrt(DIVISORS[S.divide_by](S));
      return S.scores.map((line) => line.map((x) => x / S.divisor));
    },
    back: (S, slopes) => ({ scores: slopes.map((line) => line.map((slope) => slope / S.divisor)) }),
    from: (S, i, j) => [cell("scores", i, j)],
    say(S, i, j) {
      const divisor = S.divide_by === "1" ? "1" : `√${DIVISORS[S.divide_by](S)}`;
      return [TEXT.say.scaled_scores, { score: one(signed(S.scores[i][j])), divisor }];
    },
  }),
  masked_scores: square({
    follows: true,
    same: (S) => !actsAt(S, "masked_scores") && "scaled_scores",
    formula: (S) => TEXT.masks[actsAt(S, "masked_scores") ? S.mask : "none"].does,
    run: (S) => masked(S, "masked_scores", S.scaled_scores),
    back: (S, slopes) => ({ scaled_scores: unmasked(S, "masked_scores", slopes) }),
    from: (S, i, j) => [cell("scaled_scores", i, j)],
    say: (S, i, j) => [TEXT.say[fate(S, "masked_scores", i, j)], { score: one(exactly(S.scaled_scores[i][j])) }],
  }),
  weights: square({
    sums: true,
    scale: 1,
    formula: (S) => [
      fill(TEXT.formulas.weights, { how: TEXT.formulas[S.normalise], line: TEXT.axis[S.axis] }),
      ...(actsAt(S, "weights") ? [TEXT.masks[S.mask].does] : []),
      ...(drops(S) ? [TEXT.formulas.dropout] : []),
    ].join(TEXT.formulas.then),
    run(S) {
      const normalise = S.normalise === "sum" ? divideBySum : softmax;
      const { masked_scores } = S;
      S.shares = S.axis === "rows" ? masked_scores.map(normalise) : transpose(transpose(masked_scores).map(normalise));
      S.undropped = masked(S, "weights", S.shares);
      if (!drops(S)) return S.undropped;
      return S.undropped.map((line, i) => line.map((x, j) => (isKept(S, i, j) ? x / (1 - S.dropout_p) : 0)));
    },
    back(S, slopes) {
      const kept = !drops(S) ? slopes : slopes.map((line, i) => line.map((slope, j) => (isKept(S, i, j) ? slope / (1 - S.dropout_p) : 0)));
      const passed = unmasked(S, "weights", kept);
      const shares = MASKS[S.mask].renormalise ? S.undropped : S.shares;
      const average = shares.map((line, i) => dot(line, passed[i]));
      return { masked_scores: shares.map((line, i) => line.map((x, j) => x * (passed[i][j] - average[i]))) };
    },
    from: (S, i, j) => [cell("masked_scores", i, j), S.axis === "rows" ? row("masked_scores", i) : col("masked_scores", j)],
    say: sayShare,
  }),
  context: {
    line: true, headed: true,
    formula: (S, visible) => TEXT.formulas[S.heads > 1 ? "context_of_heads" : visible.includes("values") || S.W_value ? "context" : "context_of_embeddings"],
    run: (S) => product(S.weights, S.values),
    back: (S, slopes) => ({ weights: productT(slopes, S.values), values: product(transpose(S.weights), slopes) }),
    from: (S, i, j) => [row("weights", i), col("values", j)],
    say: (S, i, j) => [TEXT.say.context, { sum: products(S.weights[i], column(S.values, j)) }],
  },
  output: {
    line: true,
    formula: () => TEXT.formulas.output,
    run: (S) => S.W_out && product(S.context, S.W_out),
    from: (S, i, j) => [row("context", i), col("W_out", j)],
    say: (S, i, j) => [TEXT.say.output, { sum: products(S.context[i], column(S.W_out, j)) }],
  },
};

/** Compute every stage of a state. Returns a new object; the state is left as it is. With several heads, `each` holds their stages. */
export function compute(state) {
  const S = { ...state };
  const run = (of, some) => {
    for (const [name, stage] of Object.entries(STAGES)) if (stage.run && some(stage)) of[name] = stage.run(of);
    return of;
  };
  if (!(S.heads > 1)) return run(S, () => true);
  run(S, (stage) => !stage.line);
  S.each = Array.from({ length: S.heads }, (_, head) => run(ofHead(S, head), (stage) => stage.headed));
  for (const one of S.each) if (one.isOff) one.context = one.context.map((line) => line.map(() => 0));
  S.context = beside(S.each.map((one) => one.context));
  return run(S, (stage) => stage.line && !stage.headed);
}

export const isInput = (stage) => STAGES[stage].run === null;
/** Whether a stage is a table of every word with every word. */
export const isSquare = (stage) => formOf(stage).columns === "tokens";
/** The weight matrix that a stage is a product with. */
export const madeBy = (stage) => (!STAGES[stage].line && !isInput(stage) ? formOf(stage).columns : null);
/** Whether there is a table of a stage for each head. */
export const isEach = (S, stage) => S.heads > 1 && isSquare(stage);
/** The rows a stage shows: all, or the asking word's alone. */
export const rowsOf = (S, stage) => (S.query !== null && formOf(stage).asks ? [S.query] : (S[stage] ?? S.tokens).map((_, i) => i));

/** Whether there is room for a stage: of all rows of several heads, for their attention weights alone. */
const hasRoom = ({ heads, query }, stage) => !(heads > 1 && query === null && isSquare(stage)) || stage === "weights";

/** What stands in SHOWN_WHERE. */
const SHOWS = {
  matrices: (S) => Boolean(S.W_query || S.W_key || S.W_value),
  divide_by: (S) => S.divide_by !== "1" || S.controls.includes("divide_by"),
  mask: (S) => actsAt(S, "masked_scores") || S.controls.includes("mask"),
  named: () => false,
};

/** The stages a state shows: those it names, else those its matrices and options give. */
export function visibleStages(state) {
  const given = (name) => hasRoom(state, name) && (!(name in SHOWN_WHERE) || SHOWS[SHOWN_WHERE[name]](state));
  const shows = (name) => (state.stages?.length ? state.stages.includes(name) : given(name));
  return Object.keys(STAGES).filter((name) => isHere(state, name) && shows(name));
}

/** Whether there are numbers for a stage. */
export const isHere = (state, stage) => Boolean(state[isInput(stage) ? stage : formOf(stage).needs ?? "tokens"]);

/** The visible stage that holds the same numbers as a hidden one, or null. */
export function shownAs(S, name, visible) {
  while (name && !visible.includes(name)) name = STAGES[name].same?.(S) || null;
  return name;
}

/** Row and column names of a stage. */
export function labels(S, stage) {
  const { rows, columns } = formOf(stage);
  const names = (of) => (of === "tokens" ? S.tokens : columnsOf(S, of));
  return { rows: names(rows), cols: names(columns) };
}

const subscript = (k) => String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
/** The names of an input's columns; where it is not there, the embeddings stand for what it makes. */
function columnsOf(S, name) {
  if (!S[name]) return columnsOf(S, "embeddings");
  const { length } = S[name][0];
  const given = S.columns?.[name];
  return given?.length === length ? given : Array.from({ length }, (_, k) => formOf(name).letter + subscript(k + 1));
}

/** What is said of one number, the cells it comes from, and what the mask does to it. `head` is that of its table, if it has one. */
export function explain(S, stage, i, j, head = null) {
  const { rows, cols } = labels(S, stage);
  const pair = { row: one(rows[i]), column: two(cols[j]) };
  const width = stage === "context" ? columnsOfHead(S, stage) : 0; // a number of the context is one of its head's
  const [whose, k] = width ? [Math.floor(j / width), j % width] : [head, j];
  const of = stagesOf(S, whose);
  const places = { ...pair, why: parted(MASKS[S.mask].why, pair), stage: TEXT.stages[stage], result: result(of[stage][i][k]) };
  if (width && of.isOff) return { parts: parted(TEXT.say.off, { ...places, head: headNames(S)[whose] }), from: [], fate: "seen" };
  const [text, more] = STAGES[stage].say(of, i, k, places);
  const from = STAGES[stage].from(of, i, k).map((source) => placed(S, whose, source));
  return { parts: parted(text, { ...places, ...more }), from, fate: fate(S, stage, i, j) };
}

/** Where the source that a head names stands on the page: in its own table, or in its columns of a shared one, `cols` from one to before another. */
function placed(S, head, { stage, row, col }) {
  const width = columnsOfHead(S, stage);
  if (head === null || !width) return { stage, row, col, head: isEach(S, stage) ? head : null };
  const first = head * width + (col ?? 0);
  return { stage, row, col: null, cols: [first, col === null ? first + width : first + 1], head: null };
}

/** Whether each of the three lights is on, for the rows that are shown: of every head; those that are off give no context. */
export function lights(S, rows) {
  const every = (holds, some = headsOf(S)) => some.every((one) => rows.every((i) => holds(one.weights[i])));
  const isOne = (line) => Math.abs(sum(line) - 1) <= 1e-9;
  return {
    "rows-sum-to-1": every(isOne),
    "inside-values": every((line) => isOne(line) && line.every((x) => x >= 0), headsOf(S).filter((one) => !one.isOff)),
    "no-future": !headsOf(S).some((one) => one.weights.flat().some(Number.isNaN)) && !seesFuture(S),
  };
}

/** Add random numbers to every embedding after a word: does the word notice? */
function seesFuture(S) {
  const random = generator(1);
  const poke = (x) => x + random() * Math.max(1, Math.abs(x));
  return S.tokens.slice(1).some((_, k) => {
    const poked = compute({ ...S, embeddings: S.embeddings.map((line, i) => (i <= k ? line : line.map(poke))) });
    // A share is compared with itself: one of 1e-30 that doubles is seen, too.
    return headsOf(S).some((one, h) => moves(one.weights[k], headsOf(poked)[h].weights[k], Math.abs)) || contextMoves(S, poked, k);
  });
}

/** Whether a word's context is another one in the stages T, by more than rounding. */
export const contextMoves = (S, T, i) => headsOf(S).some((one, h) => {
  const terms = sum(one.weights[i].map((w, j) => Math.abs(w) * Math.max(...one.values[j].map(Math.abs))));
  return moves(one.context[i], headsOf(T)[h].context[i], () => terms);
});

/** Whether two rows differ by more than rounding. */
const moves = (a, b, size) => !a.every((x, j) => Object.is(x, b[j]) || Math.abs(x - b[j]) <= 1e-12 * size(x));
/** Numbers between 0.5 and 1.5, always the same ones. */
const generator = (seed) => () => {
  seed = (seed * 48271) % 2147483647;
  return 0.5 + seed / 2147483647;
};
