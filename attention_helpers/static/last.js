// The attention weights and the context of one word in one line, which stays in sight where the matrices do not fit on a screen.

import { number } from "./numbers.js";
import { labels } from "./engine.js";
import { make, write } from "./dom.js";

const SHOWN = ["weights", "context"];

/** The line, for eyes only: the tables say the same to who listens. */
export function buildLast(S, visible) {
  const stages = SHOWN.filter((name) => visible.includes(name));
  if (!stages.length) return {};
  const word = make("b", {});
  const numbers = stages.flatMap((stage) => labels(S, stage).cols.map((name, j) => {
    const text = make("span", { className: "shade" });
    return { stage, j, text, element: make("span", { className: "share", data: { of: stage } }, make("i", {}, name), " ", text) };
  }));
  const last = make("div", { className: "last", "aria-hidden": "true", data: { part: "last" } }, word, ...numbers.map(({ element }) => element));
  const lost = make("b", {});
  last.prepend(lost);
  return { last, lastLoss: lost, lastWord: word, lastNumbers: numbers };
}

/** Show the row that asks, else the one that was touched last. */
export function paintLast({ S, parts, touched }, asking) {
  if (!parts.last) return;
  const i = Math.min(asking ?? touched, S.tokens.length - 1);
  parts.last.dataset.row = i;
  write(parts.lastLoss, parts.loss ? parts.lossTitle.textContent : "");
  write(parts.lastWord, S.tokens[i]);
  for (const { stage, j, text } of parts.lastNumbers) {
    write(text, number(S[stage][i][j]));
    if (stage === "weights") text.style.setProperty("--shade", `${Math.round(100 * Math.min(1, Math.abs(S.weights[i][j]) || 0))}%`);
  }
}
