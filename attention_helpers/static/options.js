// What the options of a state mean. A state is plain JSON: tokens, embeddings, W_query,
// W_key, W_value (a matrix or null) and the options of the explorer.

export const DIVISORS = {
  1: { text: "1", of: () => 1 },
  sqrt_d_k: { text: "√d_k", of: (S) => S.queries[0].length },
  sqrt_d_in: { text: "√d_in", of: (S) => S.embeddings[0].length },
  sqrt_n_tokens: { text: "√n_tokens", of: (S) => S.tokens.length },
};

export const sum = (line) => line.reduce((total, x) => total + x, 0);
/** Whether numbers cancel to nothing; rounding may leave a speck. */
export const isZero = (line) => Math.abs(sum(line)) <= 1e-12 * sum(line.map(Math.abs));
export const column = (matrix, j) => matrix.map((line) => line[j]);

/** Whether row i may look at column j. */
export const maySee = (S, i, j) => S.mask === "none" || j <= i;
export const masksScores = (S) => S.mask === "causal" || S.mask === "zero_scores";
export const masksWeights = (S) => S.mask.startsWith("zero_weights");

/** Whether the mask hides this cell, in the stages where it does. */
export function isMasked(S, stage, i, j) {
  if (maySee(S, i, j)) return false;
  if (stage === "masked_scores") return masksScores(S);
  return stage === "weights" && S.mask !== "zero_scores";
}

export const drops = (S) => S.dropout_p > 0 && S.dropout_keep !== null;
export const isKept = (S, i, j) => S.dropout_keep[i][j];
