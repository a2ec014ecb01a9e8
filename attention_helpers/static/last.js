// The attention weights and the context of one word in one line, which stays in sight where the matrices do not fit on a screen.

import { number } from "./numbers.js";
import { isEach, labels } from "./engine.js";
import { headNames, headsOf, stagesOf } from "./heads.js";
import { make, write } from "./dom.js";

const SHOWN = ["weights", "context"];

/** The line, for eyes only: the tables say the same to who listens. */
export function buildLast(S, visible) {
  const stages = SHOWN.filter((name) => visible.includes(name));
  if (!stages.length) return {};
  const word = make("b", {});
  const share = (stage, head, name, j) => {
    const text = make("span", { className: "shade" });
    return { stage, head, j, text, element: make("span", { className: "share", data: { of: stage } }, make("i", {}, name), " ", text) };
  };
  const named = (head) => ({ element: make("b", {}, headNames(S)[head]) });
  const numbers = stages.flatMap((stage) => (isEach(S, stage) ? headsOf(S).map((_, head) => head) : [null]).flatMap((head) =>
    [...(head === null ? [] : [named(head)]), ...labels(S, stage).cols.map((name, j) => share(stage, head, name, j))]));
  const last = make("div", { className: "last", "aria-hidden": "true", data: { part: "last" } }, word, ...numbers.map(({ element }) => element));
  const lost = make("b", {});
  last.prepend(lost);
  return { last, lastLoss: lost, lastWord: word, lastNumbers: numbers.filter(({ text }) => text) };
}

/** Show the row that asks, else the one that was touched last. */
export function paintLast({ S, parts, touched }, asking) {
  if (!parts.last) return;
  const i = Math.min(asking ?? touched, S.tokens.length - 1);
  parts.last.dataset.row = i;
  write(parts.lastLoss, parts.loss ? parts.lossTitle.textContent : "");
  write(parts.lastWord, S.tokens[i]);
  for (const { stage, head, j, text } of parts.lastNumbers) {
    const x = stagesOf(S, head)[stage][i][j];
    write(text, number(x));
    if (stage === "weights") text.style.setProperty("--shade", `${Math.round(100 * Math.min(1, Math.abs(x) || 0))}%`);
  }
}
