// State in, stages out; explain; lights. No DOM, nothing fetched.
//
// A state is plain JSON: tokens, embeddings, W_query, W_key, W_value (a matrix or null)
// and the options. `compute(state)` returns the state with every stage beside it.
// Rows are queries, columns are keys, one token a row. NumPy is the reference.

import { DIVISORS, column, drops, isKept, isMasked, isZero, masksScores, masksWeights, maySee, sum } from "./options.js";
import { exactly, flat, one, products, result, sayDropout, sayMaskedShare, sayShare, signed, two } from "./words.js";

// ---- small linear algebra ----

const transpose = (matrix) => matrix[0].map((_, j) => column(matrix, j));
const productT = (A, B) => A.map((a) => B.map((b) => dot(a, b)));
const product = (A, B) => productT(A, transpose(B));

function dot(a, b) {
  let total = 0; // a plain loop: this line is most of the work
  for (let k = 0; k < a.length; k++) total += a[k] * b[k];
  return total;
}

function softmax(row) {
  const largest = Math.max(...row);
  const exponentials = row.map((x) => Math.exp(x - largest));
  const total = sum(exponentials);
  return exponentials.map((x) => x / total);
}

function divideBySum(row) {
  const total = isZero(row) ? NaN : sum(row);
  return row.map((x) => x / total);
}

// ---- from scores to attention weights ----

function shares(S) {
  const normalise = S.normalise === "sum" ? divideBySum : softmax;
  if (S.axis === "rows") return S.masked_scores.map(normalise);
  return transpose(transpose(S.masked_scores).map(normalise));
}

function maskedShares(S) {
  if (!masksWeights(S)) return S.shares;
  const left = S.shares.map((row, i) => row.map((x, j) => (maySee(S, i, j) ? x : 0)));
  return S.mask === "zero_weights" ? left : left.map(divideBySum);
}

// ---- sources and sentences ----

const row = (stage, i) => ({ stage, row: i, col: null });
const col = (stage, j) => ({ stage, row: null, col: j });
const cell = (stage, i, j) => ({ stage, row: i, col: j });

const asks = (S, i) => one(S.tokens[i]);
const lookedAt = (S, j) => two(S.tokens[j]);

function projection(W, verb) {
  return {
    formula: (S) => (S[W] ? `embeddings · ${W}` : "the embeddings themselves"),
    run: (S) => (S[W] ? product(S.embeddings, S[W]) : S.embeddings),
    from: (S, i, j) => (S[W] ? [row("embeddings", i), col(W, j)] : [cell("embeddings", i, j)]),
    say(S, i, j) {
      const name = [asks(S, i), ` ${verb} `, two(labels(S, W).cols[j]), ": "];
      if (!S[W]) return flat(name, one(exactly(S.embeddings[i][j])), " = ", result(S.embeddings[i][j]));
      const sums = products(S.embeddings[i], column(S[W], j));
      return flat(name, sums, " = ", result(dot(S.embeddings[i], column(S[W], j))));
    },
  };
}

const input = (formula) => ({ formula, run: null, from: () => [], say: () => null });

/** Every stage: its heading, its computation, the cells it comes from, its sentence. */
export const STAGES = {
  embeddings: input(() => "one word a row"),
  W_query: input(() => "weight matrix"),
  W_key: input(() => "weight matrix"),
  W_value: input(() => "weight matrix"),
  queries: projection("W_query", "asks"),
  keys: projection("W_key", "offers"),
  values: projection("W_value", "hands over"),
  scores: {
    formula(S, visible) {
      if (visible.includes("queries") || S.W_query || S.W_key) return "queries · keysᵀ";
      return S.query === null ? "embeddings · embeddingsᵀ" : `${S.tokens[S.query]} · every word`;
    },
    run: (S) => productT(S.queries, S.keys),
    from: (S, i, j) => [row("queries", i), row("keys", j)],
    say: (S, i, j) =>
      flat("score: ", asks(S, i), " asks, ", lookedAt(S, j), " is looked at: ",
        products(S.queries[i], S.keys[j]), " = ", result(S.scores[i][j])),
  },
  scaled_scores: {
    formula: (S) => `scores ÷ ${DIVISORS[S.divide_by].text}`,
    run: (S) => S.scores.map((line) => line.map((x) => x / S.divisor)),
    from: (S, i, j) => [cell("scores", i, j)],
    say(S, i, j) {
      const of = DIVISORS[S.divide_by].of(S);
      const name = S.divide_by === "1" ? "1" : `√${of}`;
      return flat(asks(S, i), " → ", lookedAt(S, j), ": ", one(signed(S.scores[i][j])), ` ÷ ${name} = `,
        result(S.scaled_scores[i][j]));
    },
  },
  masked_scores: {
    formula: (S) => ({ causal: "−∞ for the future", zero_scores: "0 for the future" })[S.mask] ?? "nothing hidden here",
    run(S) {
      if (!masksScores(S)) return S.scaled_scores;
      const hidden = S.mask === "causal" ? -Infinity : 0;
      return S.scaled_scores.map((line, i) => line.map((x, j) => (maySee(S, i, j) ? x : hidden)));
    },
    from: (S, i, j) => [cell("scaled_scores", i, j)],
    say(S, i, j) {
      const pair = [asks(S, i), " → ", lookedAt(S, j), ": "];
      if (!isMasked(S, "masked_scores", i, j))
        return flat(pair, "not hidden, stays ", result(S.masked_scores[i][j]));
      const why = [lookedAt(S, j), " comes after ", asks(S, i), ", so it is hidden: "];
      return flat(pair, why, one(exactly(S.scaled_scores[i][j])), " becomes ", result(S.masked_scores[i][j]));
    },
  },
  weights: {
    formula(S) {
      const how = S.normalise === "sum" ? "scores ÷ their sum" : "softmax";
      const then = { zero_weights: ", then 0 for the future", zero_weights_renormalised: ", 0 for the future, ÷ row sum" };
      return `${how} along each ${S.axis.slice(0, -1)}${then[S.mask] ?? ""}${drops(S) ? ", dropout" : ""}`;
    },
    run(S) {
      S.shares = shares(S);
      S.undropped = maskedShares(S);
      if (!drops(S)) return S.undropped;
      return S.undropped.map((line, i) =>
        line.map((x, j) => (isKept(S, i, j) ? x / (1 - S.dropout_p) : 0)));
    },
    from: (S, i, j) => [cell("masked_scores", i, j), S.axis === "rows" ? row("masked_scores", i) : col("masked_scores", j)],
    say(S, i, j) {
      const hidden = [", hidden because ", lookedAt(S, j), " comes after ", asks(S, i)];
      return flat("share of ", lookedAt(S, j), " when ", asks(S, i), " asks", isMasked(S, "weights", i, j) ? hidden : [],
        sayShare(S, i, j), sayMaskedShare(S, i, j), sayDropout(S, i, j));
    },
  },
  context: {
    formula: (S, visible) => `attention weights · ${visible.includes("values") || S.W_value ? "values" : "embeddings"}`,
    run: (S) => product(S.weights, S.values),
    from: (S, i, j) => [row("weights", i), col("values", j)],
    say: (S, i, j) =>
      flat("context of ", asks(S, i), ", ", two(labels(S, "context").cols[j]), ": ",
        products(S.weights[i], column(S.values, j)), " = ", result(S.context[i][j])),
  },
};

/** Compute every stage of a state. Returns a new object; the state is left as it is. */
export function compute(state) {
  const S = { ...state };
  for (const [name, stage] of Object.entries(STAGES)) {
    if (name === "scaled_scores") S.divisor = divisor(S);
    if (stage.run) S[name] = stage.run(S);
  }
  return S;
}

const divisor = (S) => Math.sqrt(DIVISORS[S.divide_by].of(S));

/** The stages a state shows: those it names, else those its matrices and options give. */
export function visibleStages(state) {
  if (state.stages?.length) return Object.keys(STAGES).filter((name) => state.stages.includes(name) && state[name] !== null);
  const has = (option) => state.controls.includes(option);
  const projected = state.W_query || state.W_key || state.W_value;
  const shown = {
    queries: projected, keys: projected, values: projected,
    scaled_scores: state.divide_by !== "1" || has("divide_by"),
    masked_scores: masksScores(state) || has("mask"),
  };
  for (const W of ["W_query", "W_key", "W_value"]) shown[W] = state[W];
  return Object.keys(STAGES).filter((name) => !(name in shown) || shown[name]);
}

/** The visible stage that holds the same numbers as a hidden one, or null. */
export function shownAs(S, name, visible) {
  const same = {
    queries: !S.W_query && "embeddings", keys: !S.W_key && "embeddings", values: !S.W_value && "embeddings",
    scaled_scores: S.divisor === 1 && "scores", masked_scores: !masksScores(S) && "scaled_scores",
  };
  while (name && !visible.includes(name)) name = same[name] || null;
  return name;
}

/** Row and column names of a stage. */
export function labels(S, stage) {
  const names = (matrix, letter, width) => {
    const given = S.columns?.[matrix];
    return given?.length === width ? given : Array.from({ length: width }, (_, k) => letter + subscript(k + 1));
  };
  const dimensions = names("embeddings", "x", S.embeddings[0].length);
  const projected = (W, letter) => (S[W] ? names(W, letter, S[W][0].length) : dimensions);
  const letters = { W_query: "q", W_key: "k", W_value: "v" };
  const source = { queries: "W_query", keys: "W_key", values: "W_value", context: "W_value" }[stage] ?? stage;
  if (stage === "embeddings") return { rows: S.tokens, cols: dimensions };
  if (source in letters)
    return { rows: stage === source ? dimensions : S.tokens, cols: projected(source, letters[source]) };
  return { rows: S.tokens, cols: S.tokens };
}

const subscript = (k) => String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

/** The sentence for one cell and the cells it comes from; an input has no sentence. */
export function explain(S, stage, i, j) {
  return { parts: STAGES[stage].say(S, i, j), from: STAGES[stage].from(S, i, j) };
}

// ---- the three lights ----

const closeTo1 = (line) => Math.abs(sum(line) - 1) <= 1e-9;

/** The three lights, for the rows that are shown. */
export function lights(S, rows) {
  const shown = rows.map((i) => S.weights[i]);
  const sums = shown.every(closeTo1);
  return {
    "rows-sum-to-1": sums,
    "inside-values": sums && shown.flat().every((x) => x >= 0),
    "no-future": !S.weights.flat().some(Number.isNaN) && !seesFuture(S),
  };
}

/** Add random numbers to every embedding after a word: does the word notice? */
function seesFuture(S) {
  const random = generator(1);
  const poke = (x) => x + random() * Math.max(1, Math.abs(x));
  return S.tokens.slice(1).some((_, k) => {
    const poked = compute({ ...S, embeddings: S.embeddings.map((line, i) => (i <= k ? line : line.map(poke))) });
    // A share is compared with itself: one of 1e-30 that doubles is seen, too.
    return moves(S.weights[k], poked.weights[k], Math.abs) || contextMoves(S, poked, k);
  });
}

/** Whether a word's context is another one in the stages T, by more than rounding. */
export function contextMoves(S, T, i) {
  const terms = sum(S.weights[i].map((w, j) => Math.abs(w) * Math.max(...S.values[j].map(Math.abs))));
  return moves(S.context[i], T.context[i], () => terms);
}

/** Whether two rows differ by more than rounding. */
const moves = (a, b, size) => !a.every((x, j) => Object.is(x, b[j]) || Math.abs(x - b[j]) <= 1e-12 * size(x));

/** Numbers between 0.5 and 1.5, always the same ones. */
function generator(seed) {
  return () => {
    seed = (seed * 48271) % 2147483647;
    return 0.5 + seed / 2147483647;
  };
}
