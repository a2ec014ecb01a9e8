// Numbers and results in words: text only, no DOM.

import { column, drops, isKept, isMasked, isZero, masksWeights, maySee, sum } from "./options.js";

// ---- numbers as text: the same rule as attention_helpers/text.py ----

const minus = (text) => text.replaceAll("-", "−").replace(/^−(?=[0.]*$)/, "");

/** A number with fixed decimals; ties go away from zero, there is no −0.00. */
export function number(x, decimals = 2) {
  if (Number.isNaN(x)) return "undefined";
  if (!Number.isFinite(x)) return x < 0 ? "−∞" : "∞";
  return minus(Math.abs(x) >= 1e5 ? x.toExponential(1) : x.toFixed(decimals));
}

/** A number for a sentence: four decimals or, for a small or vast one, four or seven digits. */
export function exactly(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || x === 0) return number(x, 0);
  if (size < 0.1 || size >= 1e5) return minus(String(Number(x.toPrecision(size < 1 ? 4 : 7))));
  return minus(String(Number(x.toFixed(4))));
}

// ---- the sentence for one number ----

// Parts of a sentence: text, or a word or number in the colour of a source.
export const one = (text) => ({ text, role: "one" });
export const two = (text) => ({ text, role: "two" });
export const result = (x) => ({ text: exactly(x), role: "result" });
export const signed = (x) => (x < 0 ? `(${exactly(x)})` : exactly(x));
const join = (parts, between) => parts.flatMap((part, k) => (k ? [between, part] : [part]));
export const flat = (...parts) => parts.flat(Infinity);

/** a₁ × b₁ + a₂ × b₂ + … */
export const products = (a, b) =>
  join(a.map((x, k) => [one(signed(x)), " × ", two(signed(b[k]))]), " + ").flat();

/** The arithmetic of a share: numerator over the sum of its row or column. */
export function sayShare(S, i, j) {
  const line = S.axis === "rows" ? S.masked_scores[i] : column(S.masked_scores, j);
  const at = S.axis === "rows" ? j : i;
  return S.normalise === "sum" ? sayQuotient(line, at, S.axis) : saySoftmax(line, at, S.shares[i][j]);
}

function saySoftmax(line, at, share) {
  const largest = Math.max(...line);
  const shift = Math.abs(largest) > 20 ? largest : 0;
  const vast = Math.abs(largest) >= 1e5;
  const power = (x, role) => {
    if (vast || !shift) return role(exactly(x - shift));
    return [role(signed(x)), " − ", signed(shift)];
  };
  const exp = (x, role) => (x === -Infinity ? "0" : ["exp(", power(x, role), ")"]);
  const total = sum(line.map((x) => Math.exp(x - shift)));
  const long = line.length > 8;
  const below = long ? exactly(total) : ["(", join(line.map((x) => exp(x, two)), " + "), ")"];
  const quotient = long ? [] : [" = ", exactly(Math.exp(line[at] - shift)), " ÷ ", exactly(total)];
  return flat(vast ? ", the largest score subtracted from each: " : ": ", exp(line[at], one), " ÷ ", below, quotient,
    " = ", result(share));
}

function sayQuotient(line, at, axis) {
  const below = flat("(", join(line.map((x) => two(signed(x))), " + "), ")");
  if (isZero(line)) return flat(": ", below, ` = 0: the ${axis.slice(0, -1)} sums to 0, so its shares are undefined`);
  return flat(": ", one(signed(line[at])), " ÷ ", below, " = ", result(line[at] / sum(line)));
}

export function sayMaskedShare(S, i, j) {
  if (!masksWeights(S)) return [];
  const share = exactly(S.shares[i][j]);
  const seen = maySee(S, i, j);
  const hidden = seen ? [] : ["; hidden after softmax: ", share, " × 0 = ", result(0)];
  if (S.mask === "zero_weights") return hidden;
  const left = S.shares[i].filter((_, k) => maySee(S, i, k));
  const below = join(left.map((x) => two(exactly(x))), " + ");
  return flat(hidden, "; divided by what is left: ", seen ? share : "0", " ÷ (", below, ") = ", result(S.undropped[i][j]));
}

export function sayDropout(S, i, j) {
  if (!drops(S)) return [];
  const share = signed(S.undropped[i][j]);
  if (!isKept(S, i, j)) return ["; dropped: ", share, " × 0 = ", result(0)];
  return ["; kept: ", share, " ÷ (1 − ", exactly(S.dropout_p), ") = ", result(S.weights[i][j])];
}

// ---- the result in words ----

/** Over how many words a row of attention weights effectively spreads. */
export function effectiveWords(line) {
  const total = sum(line); // not 1 after dropout or where shares are hidden
  return Math.exp(-sum(line.map((x) => (x > 0 ? (x / total) * Math.log(x / total) : 0))));
}

export const percent = (x) => `${number(100 * x, 0)} %`;

/** The positions of the largest numbers, ties included. */
export function largest(line) {
  const top = Math.max(...line);
  return line.flatMap((x, j) => (top - x <= 1e-9 * Math.abs(top) ? [j] : []));
}

function names(S, i, indices) {
  if (indices.length > 2 && indices.length === S.tokens.length) return "all words";
  const words = indices.map((j) => (j === i ? "itself" : S.tokens[j]));
  return words.length < 2 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** The columns that row i can give attention to: neither hidden nor dropped. */
const reachable = (S, i) =>
  S.tokens.flatMap((_, j) => (isMasked(S, "weights", i, j) || (drops(S) && !isKept(S, i, j)) ? [] : [j]));

/** Whether a row's differences are too small to rank its words. */
function isEven(S, i) {
  const words = reachable(S, i).length;
  return words > 1 && effectiveWords(S.weights[i]) >= 0.94 * words;
}

const isNothing = (line) => line.every((x) => x === 0);

/** One row of attention weights in words. */
export function sayRow(S, i) {
  const line = S.weights[i];
  const seen = reachable(S, i);
  const token = S.tokens[i];
  if (line.some(Number.isNaN)) return `A share of ${token} is undefined: the sum it is divided by is 0.`;
  const negative = line.findIndex((x) => x < 0);
  if (negative >= 0) return `${token} gives ${names(S, i, [negative])} a share below 0 (${percent(line[negative])}).`;
  if (isNothing(line)) return `${token} looks at no word: all its shares are 0.`;
  if (seen.length === 1) return `${token} can look only at ${names(S, i, seen)}.`;
  if (isEven(S, i)) return `${token} spreads almost evenly over ${number(effectiveWords(line), 1)} of ${seen.length} words.`;
  const share = (indices) => `${names(S, i, indices)} (${percent(line[indices[0]])}${indices.length > 1 ? " each" : ""})`;
  const top = largest(line);
  const rest = line.map((x, j) => (top.includes(j) ? -1 : x));
  const next = Math.max(...rest) < 0.005 ? "" : `, then at ${share(largest(rest))}`;
  return `${token} looks most at ${share(top)}${next}.`;
}

/** All rows in one line: who looks most at whom. */
function sayAll(S) {
  const n = S.tokens.length;
  if (n === 1) return sayRow(S, 0);
  const all = S.weights.flat();
  if (all.some(Number.isNaN)) return "Some shares are undefined: the sum they are divided by is 0.";
  if (all.some((x) => x < 0)) return "Some shares are below 0.";
  const even = S.tokens.map((_, i) => isEven(S, i));
  const flatRows = even.filter(Boolean).length;
  if (flatRows === n) return `Every word spreads almost evenly over ${drops(S) ? "the words left to it" : "all words"}.`;
  if (n > 8) {
    const others = flatRows ? ` ${flatRows} spread almost evenly.` : "";
    return `${selfish(S).filter((i) => !even[i]).length} of ${n} words look most at themselves.${others}`;
  }
  const target = (i) => (isNothing(S.weights[i]) ? "no word" : even[i] ? "no word in particular" : names(S, i, largest(S.weights[i])));
  return `Looks most at: ${S.tokens.map((token, i) => `${token} → ${target(i)}`).join(" · ")}.`;
}

/** The words whose own share is the largest in their row. */
export const selfish = (S) => S.tokens.flatMap((_, i) => (largest(S.weights[i]).includes(i) ? [i] : []));

/** Which inputs differ from the start. */
export function changed(S) {
  const differs = (name) => JSON.stringify(S[name]) !== JSON.stringify(S.start[name]);
  return ["embeddings", "W_query", "W_key", "W_value"].filter((name) => S.start && differs(name));
}

/** The result in words: of the asking row, else of all rows. */
export function summary(S, asking) {
  const moved = changed(S);
  const differ = moved.length ? ` Changed from the start: ${moved.join(", ")}.` : "";
  return (asking === null ? sayAll(S) : sayRow(S, asking)) + differ;
}
