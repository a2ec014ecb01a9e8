// The arithmetic of one number, and the result in words. Texts only, no DOM.

import { TEXT, listed } from "./words/en.js";
import { column, effectiveWords, exactly, fill, isZero, join, largest, number, one, parted, percent, result, signed, sum, two } from "./numbers.js";
import { TABLES, drops, isKept, same } from "./options.js";
import { headNames, headsOf } from "./heads.js";
import { MASKS, actsAt, fate, isMasked, maySee } from "./masks.js";

/** A share: numerator over the sum of its row or column, then what mask and dropout make of it. */
export function sayShare(S, i, j, places) {
  const [line, at] = S.axis === "rows" ? [S.masked_scores[i], j] : [column(S.masked_scores, j), i];
  const hidden = isMasked(S, "weights", i, j) ? parted(TEXT.say.share_hidden, places) : [];
  const share = (S.normalise === "sum" ? sayQuotient : saySoftmax)(line, at, TEXT.line[S.axis], S.shares[i][j]);
  return [TEXT.say.share, { hidden, share, mask: sayMaskedShare(S, i, j), dropout: sayDropout(S, i, j) }];
}

function saySoftmax(line, at, name, share) {
  const largest = Math.max(...line);
  if (largest === -Infinity) return parted(TEXT.say.softmax_of_none, { line: name, result: result(share) });
  const shift = Math.abs(largest) > 20 ? largest : 0;
  const vast = Math.abs(largest) >= 1e5;
  const power = (x, role) => (vast || !shift ? role(exactly(x - shift)) : [role(signed(x)), " − ", signed(shift)]);
  const exp = (x, role) => (x === -Infinity ? "0" : ["exp(", power(x, role), ")"]);
  const total = sum(line.map((x) => Math.exp(x - shift)));
  const long = line.length > 8;
  const below = long ? exactly(total) : ["(", join(line.map((x) => exp(x, two)), " + "), ")"];
  const quotient = long ? [] : [" = ", exactly(Math.exp(line[at] - shift)), " ÷ ", exactly(total)];
  const text = vast ? TEXT.say.softmax_vast : TEXT.say.softmax;
  return parted(text, { sum: [exp(line[at], one), " ÷ ", below, quotient], result: result(share) });
}

function sayQuotient(line, at, name, share) {
  const total = ["(", join(line.map((x) => two(signed(x))), " + "), ")"];
  if (isZero(line)) return parted(TEXT.say.sum_zero, { total, line: name });
  return parted(TEXT.say.sum, { score: one(signed(line[at])), total, result: result(share) });
}

function sayMaskedShare(S, i, j) {
  if (!actsAt(S, "weights")) return [];
  const share = exactly(S.shares[i][j]);
  const { fill: filled, renormalise } = MASKS[S.mask];
  const { zeroed: hidden, replaced: overwritten, renormalised } = TEXT.say;
  const masked = parted({ hidden, overwritten, seen: "" }[fate(S, "weights", i, j)], { share, result: result(filled) });
  const left = S.shares[i].filter((_, k) => maySee(S, i, k)).map((x) => two(exactly(x)));
  if (!renormalise || left.length === 0) return masked;
  const kept = maySee(S, i, j) ? share : exactly(filled);
  return [masked, parted(renormalised, { share: kept, left: join(left, " + "), result: result(S.undropped[i][j]) })];
}

function sayDropout(S, i, j) {
  if (!drops(S)) return [];
  const text = isKept(S, i, j) ? TEXT.say.kept : TEXT.say.dropped;
  return parted(text, { share: signed(S.undropped[i][j]), p: exactly(S.dropout_p), result: result(S.weights[i][j]) });
}

function names(S, i, indices) {
  if (indices.length > 2 && indices.length === S.tokens.length) return TEXT.row.all;
  return listed(indices.map((j) => (j === i ? TEXT.row.itself : S.tokens[j])));
}

/** The words whose own share is the largest in their row. */
export const selfish = (S) => S.tokens.flatMap((_, i) => (largest(S.weights[i]).includes(i) ? [i] : []));
/** The columns that row i can give attention to: neither hidden nor dropped. */
const reachable = (S, i) =>
  S.tokens.flatMap((_, j) => (isMasked(S, "weights", i, j) || (drops(S) && !isKept(S, i, j)) ? [] : [j]));

const isNothing = (line) => line.every((x) => x === 0);
/** Whether a row's differences are too small to rank its words. */
function isEven(S, i) {
  const words = reachable(S, i).length;
  return words > 1 && effectiveWords(S.weights[i]) >= 0.94 * words;
}

/** One row of attention weights in words: which kind of row it is, and the text. */
export function sayRow(S, i) {
  const line = S.weights[i];
  const seen = reachable(S, i);
  const said = (kind, places) => ({ kind, text: fill(TEXT.row[kind], { word: S.tokens[i], ...places }) });
  if (line.some(Number.isNaN)) return said("undefined");
  const negative = line.findIndex((x) => x < 0);
  if (negative >= 0) return said("negative", { words: names(S, i, [negative]), share: percent(line[negative]) });
  if (isNothing(line)) return said("nothing");
  if (seen.length === 1) return said("only", { words: names(S, i, seen) });
  const share = (at) =>
    fill(at.length > 1 ? TEXT.row.share_each : TEXT.row.share, { words: names(S, i, at), share: percent(line[at[0]]) });
  const top = largest(line);
  if (isEven(S, i)) {
    const n = seen.length;
    if (top.length === n) return said("even", { n });
    const spread = number(effectiveWords(line), 1);
    return { ...said("even_most", { spread, n, most: names(S, i, top), share: percent(line[top[0]], 1) }), kind: "even" };
  }
  const rest = line.map((x, j) => (top.includes(j) ? -1 : x));
  if (Math.max(...rest) < 0.005) return said("most", { most: share(top) });
  return said("most_then", { most: share(top), next: share(largest(rest)) });
}

/** All rows in one line: who looks most at whom. */
function sayRows(S) {
  const n = S.tokens.length;
  const said = (kind, places) => ({ kind, text: fill(TEXT.rows[kind], places) });
  if (n === 1) return sayRow(S, 0);
  const all = S.weights.flat();
  if (all.some(Number.isNaN)) return said("undefined");
  if (all.some((x) => x < 0)) return said("negative");
  const isFlat = S.tokens.map((_, i) => isEven(S, i));
  const even = isFlat.filter(Boolean).length;
  if (even === n) return said(drops(S) ? "even_left" : "even");
  if (n > 8) return said(even ? "many_even" : "many", { count: selfish(S).filter((i) => !isFlat[i]).length, n, even });
  const target = (i) => {
    const top = largest(S.weights[i]);
    if (isNothing(S.weights[i])) return TEXT.rows.no_word;
    return isFlat[i] && top.length < reachable(S, i).length ? fill(TEXT.rows.barely, { words: names(S, i, top) }) : names(S, i, top);
  };
  const pairs = S.tokens.map((word, i) => fill(TEXT.rows.pair, { word, words: target(i) }));
  return said("each", { pairs: pairs.join(TEXT.rows.between) });
}

/** The result in words, of the asking row or of all rows; which matrices differ from the start, and that in words, too. */
export function summary(S, asking) {
  const said = headsOf(S).map((one) => (asking === null ? sayRows(one) : sayRow(one, asking)));
  const [{ kind }] = said;
  const of = (text, head) => {
    const places = { head: headNames(S)[head], text };
    return S.heads > 1 ? fill(S.each[head].isOff ? TEXT.summary_off : TEXT.summary_of_head, places) : text;
  };
  const text = said.map(({ text }, head) => of(text, head)).join(" ");
  const changed = TABLES.filter((name) => S.start && !same(S[name] ?? null, S.start[name] ?? null));
  return { kind, changed, text, more: changed.length ? fill(TEXT.changed, { matrices: changed.join(", ") }) : "" };
}
