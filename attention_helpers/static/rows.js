// Attention from random queries, six keys each: the draws and averages of attention_helpers/random_rows.py, number by number.

import { DRAWN } from "./facts.js";
import { effectiveWords, softmax } from "./numbers.js";

export const { least_d_k: LEAST_D_K, most_d_k: MOST_D_K } = DRAWN;
const { keys: N_KEYS, nudge: NUDGE, frozen: FROZEN } = DRAWN;
export const DIVIDE_BY = { 1: () => 1, sqrt_d_k: Math.sqrt, d_k: (d_k) => d_k };

/** Make numbers that look random of numbers that count (Wellons' lowbias32). */
function mixed(bits) {
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** For each row a query and six keys of 512 numbers, one after the other; a smaller d_k uses the first of them. */
export function drawRows(rows, seed) {
  const numbers = new Float64Array(rows * (1 + N_KEYS) * MOST_D_K);
  const key = mixed(seed ^ 0x9e3779b9);
  const uniform = (count) => (mixed(count ^ key) + 0.5) / 2 ** 32;
  for (let k = 0; k < numbers.length; k += 2) { // Box and Muller's: two of two
    const [radius, angle] = [Math.sqrt(-2 * Math.log(uniform(k))), 2 * Math.PI * uniform(k + 1)];
    numbers[k] = radius * Math.cos(angle);
    numbers[k + 1] = radius * Math.sin(angle);
  }
  return numbers;
}

let latest = {}; // what was drawn, and its averages by d_k; two laboratories that draw the same share it

/** What rows have in common, by divisor: the average row, its largest weight first, effective words, the share of frozen rows. */
export function averageRows({ rows, seed, d_k }) {
  if (latest.rows !== rows || latest.seed !== seed) latest = { rows, seed, numbers: drawRows(rows, seed), averages: {} };
  return (latest.averages[d_k] ??= averaged(latest.numbers, rows, d_k));
}

function averaged(numbers, rows, d_k) {
  const ways = Object.entries(DIVIDE_BY).map(([name, by]) =>
    ({ name, by: by(d_k), weights: Array(N_KEYS).fill(0), effective: 0, frozen: 0 }));
  for (let row = 0; row < rows; row++) {
    const query = row * (1 + N_KEYS) * MOST_D_K;
    const keys = Array.from({ length: N_KEYS }, (_, j) => query + (1 + j) * MOST_D_K);
    const scores = keys.map((key) => dotOf(numbers, query, key, d_k));
    const nudged = scores.map((score, j) => score + NUDGE * numbers[keys[j]]);
    for (const way of ways) {
      const [weights, after] = [scores, nudged].map((line) => softmax(line.map((x) => x / way.by)));
      way.effective += effectiveWords(weights) / rows;
      way.frozen += weights.every((x, j) => Math.abs(after[j] - x) < FROZEN);
      weights.sort((a, b) => b - a).forEach((x, rank) => (way.weights[rank] += x / rows));
    }
  }
  for (const way of ways) way.frozen /= rows;
  return Object.fromEntries(ways.map((way) => [way.name, way]));
}

function dotOf(numbers, from, to, length) {
  let total = 0; // a plain loop: this line is most of the work
  for (let k = 0; k < length; k++) total += numbers[from + k] * numbers[to + k];
  return total;
}
