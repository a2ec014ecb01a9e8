// Several heads: each has a block of the columns of queries, keys and values, and from there on its own tables.

import { TEXT } from "./words/en.js";
import { formOf } from "./facts.js";
import { block, fill } from "./numbers.js";
import { MATRICES } from "./options.js";

const SHARED = ["queries", "keys", "values"];

/** What one head computes with. */
export const ofHead = (S, head) => ({
  ...S, head, isOff: S.off.includes(head), ...Object.fromEntries(SHARED.map((name) => [name, block(S[name], head, S.heads)])),
});

/** The stages of every head: of one head, all there are. */
export const headsOf = (S) => (S.heads > 1 ? S.each : [S]);
/** The stages that a table reads: of its head, where it has one. */
export const stagesOf = (S, head) => (head === null ? S : S.each[head]);
/** How many columns of a table belong to each head; 0 where they are not shared: only what a matrix of the three makes is cut. */
export const columnsOfHead = (S, stage) => (S.heads > 1 && MATRICES.includes(formOf(stage).columns) && S[stage] ? S[stage][0].length / S.heads : 0);

/** What the heads are called: as their one column is, else by number. */
export function headNames(S) {
  const names = S.W_query && S.W_query[0].length === S.heads && S.columns?.W_query;
  return names && names.length === S.heads ? names : Array.from({ length: S.heads }, (_, k) => fill(TEXT.head, { k: k + 1 }));
}

/** Whether heads can share the columns of all matrices equally. */
export const canShare = (S, heads) => MATRICES.every((name) => (S[name] ?? S.embeddings)[0].length % heads === 0);
