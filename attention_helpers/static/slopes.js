// The slope of one number in words: as a difference, and why there is none. Texts only, no DOM.

import { TEXT, listed } from "./words/en.js";
import { column, exactly, fill, number, one, parted } from "./numbers.js";
import { TIED } from "./options.js";
import { compute, labels } from "./engine.js";
import { columnsOfHead, headsOf } from "./heads.js";
import { setCell } from "./store.js";
import { gradients, loss, wishes } from "./learning.js";

const LEVEL = 5e-5; // a slope that is less steep is not felt

/** To which side a drag lowers the loss: "left", "right" or, on the level, "". */
export const wayDown = (slope) => (Math.abs(slope) < LEVEL ? "" : slope > 0 ? "left" : "right");

/** What is said of the number of an input: the difference that a nudge makes, or why it makes none. */
export function saySlope(S, stage, i, j) {
  const { rows, cols } = labels(S, stage);
  const G = gradients(S);
  const slope = G[stage][i][j];
  const way = wayDown(slope);
  const places = { stage: TEXT.stages[stage], row: one(rows[i]), column: one(cols[j]) };
  if (!way) return parted(TEXT.slopes.level, { ...places, slope: exactly(slope), why: whyLevel(S, G, stage, i, j) });
  const { text, ...said } = difference(S, stage, i, j, slope);
  return parted(TEXT.slopes.said, { ...places, ...said, slope: { text, role: "result" }, way: TEXT.slopes[way] });
}

/** A nudge, and so many decimals of the losses that their difference divided by it is the slope, as printed. */
export function difference(S, stage, i, j, slope) {
  const nudged = (nudge) => {
    const matrix = setCell(S[stage], i, j, S[stage][i][j] + nudge);
    const tied = S.tied && TIED.includes(stage);
    return loss(compute({ ...S, ...(tied ? { W_query: matrix, W_key: matrix } : { [stage]: matrix }) }));
  };
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(Math.abs(slope))));
  const [x, before, text] = [S[stage][i][j], loss(S), number(slope, decimals)];
  let said;
  for (const places of [3, 4, 5, 6])
    for (const more of [0, 1, 2]) {
      const nudge = 10 ** -places;
      const losses = [before, nudged(nudge)].map((y) => y.toFixed(decimals + places + more));
      said = { from: number(x, places), to: number(x + nudge, places), before: losses[0], after: losses[1], text };
      if (number((losses[1] - losses[0]) / nudge, decimals) === text) return said;
    }
  return said;
}

/** Why a nudge of a number changes nothing. */
function whyLevel(S, G, stage, i, j) {
  const { rows, cols } = labels(S, stage);
  const say = (kind, places) => fill(TEXT.level[kind], places);
  const all = wishes(S);
  if (loss(S) < 1e-3) return say("arrived");
  if (stage === "W_out") return say("out");
  if (stage === "W_value" && all.every(({ kind }) => kind === "weights")) return say("unread");
  const asking = [...new Set(all.map((wish) => wish.i))];
  const read = stage === "W_query" ? asking : S.tokens.map((_, k) => k);
  if (stage !== "embeddings" && read.every((k) => S.embeddings[k][i] === 0))
    return stage === "W_query" ? say("no_such", { words: listed(asking.map((k) => S.tokens[k])), row: rows[i] }) : say("nobody", { row: rows[i] });
  const head = Math.floor(j / columnsOfHead(S, stage)); // NaN of the embeddings
  if (S.heads > 1 && head >= 0 && all.every((wish) => wish.kind === "weights" && wish.head !== head)) return say("other_head");
  const [other, met] = { W_query: ["keys", S.keys], W_key: ["queries", asking.map((k) => S.queries[k])] }[stage] ?? [];
  if (other && column(met, j).every((x) => x === 0)) return say("other", { other: TEXT.stages[other], column: cols[j] });
  if (all.every((wish) => Math.max(...headsOf(S)[wish.head].weights[wish.i]) > 0.999)) return say("decided");
  return say("balance");
}
