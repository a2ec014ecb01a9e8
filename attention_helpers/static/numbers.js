// Numbers: small algebra, numbers as text, texts with numbers in them.

import { TEXT } from "./words/en.js";

export const sum = (line) => line.reduce((total, x) => total + x, 0);
/** Whether numbers cancel to nothing; rounding may leave a speck. */
export const isZero = (line) => Math.abs(sum(line)) <= 1e-12 * sum(line.map(Math.abs));
export const column = (matrix, j) => matrix.map((line) => line[j]);
export const transpose = (matrix) => matrix[0].map((_, j) => column(matrix, j));
export const productT = (A, B) => A.map((a) => B.map((b) => dot(a, b)));
export const product = (A, B) => productT(A, transpose(B));
export function dot(a, b) {
  let total = 0; // a plain loop: this line is most of the work
  for (let k = 0; k < a.length; k++) total += a[k] * b[k];
  return total;
}

/** The columns of one of several equal blocks; and tables side by side. */
export const block = (matrix, k, blocks) => matrix.map((line) => line.slice((k * line.length) / blocks, ((k + 1) * line.length) / blocks));
export const beside = (tables) => tables[0].map((_, i) => tables.flatMap((table) => table[i]));

export const add = (A, B) => A.map((line, i) => line.map((x, j) => x + B[i][j]));

/** Shares of a row of scores; none where every score is −∞. */
export function softmax(row) {
  const largest = Math.max(...row);
  if (largest === -Infinity) return row.map(() => 0);
  const exponentials = row.map((x) => Math.exp(x - largest));
  const total = sum(exponentials);
  return exponentials.map((x) => x / total);
}

export function divideBySum(row) {
  const total = isZero(row) ? NaN : sum(row);
  return row.map((x) => x / total);
}

/** Over how many words a row of attention weights effectively spreads: exp of its entropy. */
export function effectiveWords(line) {
  const total = sum(line); // not 1 after dropout or where shares are hidden
  return Math.exp(-sum(line.map((x) => (x > 0 ? (x / total) * Math.log(x / total) : 0))));
}

export const extent = (matrix) => Math.max(...matrix.flat().map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));

/** The positions of the largest numbers, ties included. */
export function largest(line) {
  const top = Math.max(...line);
  return line.flatMap((x, j) => (top - x <= 1e-9 * Math.abs(top) ? [j] : []));
}

const minus = (text) => text.replaceAll("-", "−").replace(/^−(?=[0.]*$)/, "");

/** A number with fixed decimals, by the rule of attention_helpers/text.py: ties go away from zero, there is no −0.00. */
export function number(x, decimals = 2) {
  if (Number.isNaN(x)) return TEXT.numbers.undefined;
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
/** Numbers for a sentence that compares them: two decimals, or as many as tell them apart. */
export function compared(...xs) {
  const texts = (decimals) => xs.map((x) => minus(String(Number(x.toFixed(decimals)))));
  const enough = [2, 3, 4, 5, 6].find((decimals) => new Set(texts(decimals)).size === xs.length);
  return enough ? texts(enough) : xs.map(exactly);
}
export const signed = (x) => (x < 0 ? `(${exactly(x)})` : exactly(x));
/** A share in percent; just below 1 with a decimal, so that it is not said to be all. */
export const percent = (x, decimals = x >= 0.995 && x < 0.9995 ? 1 : 0) => fill(TEXT.numbers.percent, { x: number(100 * x, decimals) });
/** A loss: four decimals, more where it is next to nothing, none where it is vast. */
export const lossText = (x) => number(x, x < 0.001 ? 6 : x < 100 ? 4 : 0);

// Parts of a sentence: text, or a word or number in the colour of a source.
export const one = (text) => ({ text, role: "one" });
export const two = (text) => ({ text, role: "two" });
export const result = (x) => ({ text: exactly(x), role: "result" });
export const join = (parts, between) => parts.flatMap((part, k) => (k ? [between, part] : [part]));
/** a₁ × b₁ + a₂ × b₂ + … */
export const products = (a, b) => join(a.map((x, k) => [one(signed(x)), " × ", two(signed(b[k]))]), " + ");

/** The parts of a text with {places}, and of what is put there. */
export const parted = (text, places) =>
  text.split(/\{(\w+)\}/).map((part, k) => (k % 2 ? places[part] : part)).flat(Infinity).filter((part) => part !== "");
/** The same as plain text, where plain text is put there. */
export const fill = (text, places) => text.replace(/\{(\w+)\}/g, (_, name) => places[name]);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;
const STEERS = /[\u202a-\u202e\u2066-\u2069]/g;
/** A text in which words written from right to left turn nothing but themselves. */
export const isolated = (S, text) => S.tokens.filter((token) => RIGHT_TO_LEFT.test(token))
  .reduce((all, token) => all.replaceAll(token, () => `\u2068${token.replace(STEERS, "")}\u2069`), text);

/** How many digits wide a text is, about: a point is narrow, a minus and ∞ are wide. */
export const digits = (text) => text.length - (text.includes(".") ? 0.5 : 0) + (text.includes("−") ? 0.3 : 0) + (text.includes("∞") ? 0.5 : 0);
