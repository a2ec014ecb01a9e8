// A wish becomes a loss, and every number gets a slope: how far the loss rises for each unit added to it. No DOM, no words.
// NumPy is the reference (attention_helpers/learning.py).

import { add, beside, block, softmax } from "./numbers.js";
import { LIMITS } from "./facts.js";
import { TIED } from "./options.js";
import { MASKS, isMasked, maySee } from "./masks.js";
import { STAGES, labels } from "./engine.js";
import { headsOf } from "./heads.js";

/**
 * The wishes of a state: the kind, which is the stage they stand in, their row and column. A row may have a list of them, one
 * a head: `at` is the place in it, and the last head has what is left.
 */
export const wishes = (S) => Object.entries(S.goal ?? {}).flatMap(([kind, wanted]) => {
  const { rows, cols } = labels(S, kind);
  const head = (at) => Math.min(at, (S.heads ?? 1) - 1);
  const found = (row, column, at) => ({ kind, head: head(at), i: rows.indexOf(row), j: cols.indexOf(column), row, column, at });
  return Object.entries(wanted).flatMap(([row, columns]) => [columns].flat().flatMap((column, at) => (column === null ? [] : [found(row, column, at)])));
});

/** Whether a cell can be wished for: a wish for a hidden one is none. */
export const mayWish = (S, { kind, i, j }) => i >= 0 && j >= 0 && !(kind === "weights" && isMasked(S, kind, i, j));

/** A goal of the wishes among some that can be; null where none is left. */
export function goalOf(S, some) {
  const left = some.filter((wish) => mayWish(S, wish));
  if (!left.length || S.normalise !== "softmax" || S.axis !== "rows") return null;
  const of = (kind) => {
    const rows = new Map(); // a word may be called __proto__
    for (const { row, at, column } of left.filter((wish) => wish.kind === kind)) {
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row)[at] = column;
    }
    return [...rows].map(([row, columns]) => [row, columns.length > 1 ? Array.from(columns, (column) => column ?? null) : columns[0]]);
  };
  const kinds = ["weights", "context"].filter((kind) => of(kind).length);
  return Object.fromEntries(kinds.map((kind) => [kind, Object.fromEntries(of(kind))]));
}

/** The numbers whose softmax holds the wanted share. */
function lineOf(S, { kind, head, i }) {
  if (kind === "context") return S.context[i];
  const line = headsOf(S)[head].masked_scores[i];
  return MASKS[S.mask].renormalise ? line.map((x, j) => (maySee(S, i, j) ? x : -Infinity)) : line;
}

/** −log of a wanted share, from scores: a share that is too small for a number still has one. */
function cost(line, j) {
  const ahead = line.map((x) => x - line[j]);
  const top = ahead.indexOf(Math.max(...ahead));
  return ahead[top] + Math.log1p(ahead.reduce((total, x, k) => (k === top ? total : total + Math.exp(x - ahead[top])), 0));
}

/** The mean of −log of the wanted shares of computed stages; null without a goal. */
export function loss(S) {
  const all = wishes(S);
  return all.length ? all.reduce((total, wish) => total + cost(lineOf(S, wish), wish.j), 0) / all.length : null;
}

/**
 * The slopes of every input and stage, by its name and in its shape. They begin as share minus wanted, at the masked scores
 * (so those of the attention weights are what comes through the context) and at the context. Tied matrices have one slope.
 * With several heads, `each` holds the slopes of their own tables.
 */
export function gradients(S) {
  const all = wishes(S);
  const none = (matrix) => matrix.map((line) => line.map(() => 0));
  const context = none(S.context);
  const each = headsOf(S).map((one) => ({ masked_scores: none(one.masked_scores) }));
  for (const wish of all) {
    const slopes = (wish.kind === "weights" ? each[wish.head].masked_scores : context)[wish.i];
    softmax(lineOf(S, wish)).forEach((share, k) => (slopes[k] += (share - (k === wish.j)) / all.length));
  }
  headsOf(S).forEach((one, head) => {
    each[head].context = one.isOff ? none(one.context) : block(context, head, each.length);
    passBack(one, each[head], ({ headed }) => headed);
  });
  const joined = Object.keys(each[0]).map((name) => [name, beside(each.map((G) => G[name]))]);
  const G = each.length > 1 ? { ...Object.fromEntries(joined), each } : each[0];
  passBack(S, G, ({ headed }) => !headed);
  if (S.W_out) G.W_out = none(S.W_out); // no wish is about what it makes
  if (S.tied && S.W_query) G.W_query = G.W_key = add(G.W_query, G.W_key);
  return G;
}

/** Pass slopes on, from some stages back to those that they come from. */
function passBack(S, G, some) {
  for (const name of Object.keys(STAGES).reverse().filter((name) => some(STAGES[name])))
    for (const [from, slopes] of Object.entries(STAGES[name].back?.(S, G[name]) ?? {}))
      G[from] = G[from] ? add(G[from], slopes) : slopes;
}

/** The trained inputs one step on, each number moved by its slope times the rate; null where one would pass a million. */
export function descended(S) {
  const G = gradients(S);
  const both = S.tied && S.train.some((name) => TIED.includes(name)) ? TIED : [];
  const names = [...new Set([...S.train, ...both])].filter((name) => S[name]);
  const moved = names.map((name) => [name, S[name].map((line, i) => line.map((x, j) => x - S.rate * G[name][i][j]))]);
  return moved.every(([, matrix]) => matrix.flat().every((x) => Math.abs(x) <= LIMITS.number)) ? Object.fromEntries(moved) : null;
}
