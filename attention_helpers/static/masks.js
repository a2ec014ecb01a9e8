// Masks: one entry a style; its name stands under the same key in words/. An entry says:
//   may(i, j), why  whether row i may look at column j, and the sentence that says why not
//   at, fill        the stage in which the other cells are overwritten, and with what
//   hides           the stages in which this hides them: overwritten is not always hidden
//   renormalise     whether rows are then divided by what is left
// A style may leave a row no column at all; its shares are then all 0.

import { TEXT } from "./words/en.js";
import { divideBySum } from "./numbers.js";

const past = { may: (i, j) => j <= i, why: TEXT.why.past };

export const MASKS = {
  none: { may: () => true, why: "", hides: [] },
  causal: { ...past, at: "masked_scores", fill: -Infinity, hides: ["masked_scores", "weights"] },
  zero_scores: { ...past, at: "masked_scores", fill: 0, hides: [] }, // exp(0) is 1
  zero_weights: { ...past, at: "weights", fill: 0, hides: ["weights"] },
  zero_weights_renormalised: { ...past, at: "weights", fill: 0, hides: ["weights"], renormalise: true },
};

/** Only then may shares be anything but softmax along rows. */
export const overwritesNothing = (mask) => !MASKS[mask].at;
export const actsAt = (S, stage) => MASKS[S.mask].at === stage;
/** Whether row i may look at column j. */
export const maySee = (S, i, j) => MASKS[S.mask].may(i, j);
/** Whether the mask hides a cell of a stage. */
export const isMasked = (S, stage, i, j) => MASKS[S.mask].hides.includes(stage) && !maySee(S, i, j);
/** What the mask does to a cell of a stage: "hidden", "overwritten" or "seen". */
export const fate = (S, stage, i, j) =>
  isMasked(S, stage, i, j) ? "hidden" : actsAt(S, stage) && !maySee(S, i, j) ? "overwritten" : "seen";

/** The numbers of a stage, overwritten where the mask does that. */
export function masked(S, stage, matrix) {
  if (!actsAt(S, stage)) return matrix;
  const { fill, renormalise } = MASKS[S.mask];
  const left = matrix.map((line, i) => line.map((x, j) => (maySee(S, i, j) ? x : fill)));
  return renormalise ? left.map((line, i) => (line.some((_, j) => maySee(S, i, j)) ? divideBySum(line) : line)) : left;
}

/** Slopes of a stage as those of its numbers before the mask: none where they are overwritten. */
export const unmasked = (S, stage, slopes) =>
  !actsAt(S, stage) ? slopes : slopes.map((line, i) => line.map((x, j) => (maySee(S, i, j) ? x : 0)));
