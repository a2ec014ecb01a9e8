// The attention weights and the context of one word in one line, which stays in sight where the matrices do not fit on a screen.

import { number } from "./numbers.js";
import { isEach, labels } from "./engine.js";
import { headNames, headsOf, stagesOf } from "./heads.js";
import { make, write } from "./dom.js";
import { paintText, shareText } from "./paint.js";

const SHOWN = ["weights", "context"];
const ROOM = 5; // digits of a number in its box

/** The line, for eyes only: the tables say the same to who listens. */
export function buildLast(S, visible) {
  const stages = SHOWN.filter((name) => visible.includes(name));
  if (!stages.length) return {};
  const word = make("b", {});
  const share = (stage, head, name, j) => {
    const node = document.createTextNode("");
    const box = make("span", { className: "shade" }, make("span", { className: "number" }, node));
    return { stage, head, j, node, box, element: make("span", { className: "share", data: { of: stage } }, make("i", {}, name), " ", box) };
  };
  const named = (head) => ({ element: make("b", {}, headNames(S)[head]) });
  const numbers = stages.flatMap((stage) => (isEach(S, stage) ? headsOf(S).map((_, head) => head) : [null]).flatMap((head) =>
    [...(head === null ? [] : [named(head)]), ...labels(S, stage).cols.map((name, j) => share(stage, head, name, j))]));
  const last = make("div", { className: "last", "aria-hidden": "true", data: { part: "last" } }, word, ...numbers.map(({ element }) => element));
  const lost = make("b", {});
  last.prepend(lost);
  return { last, lastLoss: lost, lastWord: word, lastNumbers: numbers.filter(({ node }) => node) };
}

/** Show the row that asks, else the one that was touched last. */
export function paintLast({ S, parts, touched }, asking) {
  if (!parts.last) return;
  const i = Math.min(asking ?? touched, S.tokens.length - 1);
  if (parts.last.dataset.row !== String(i)) parts.last.dataset.row = i;
  write(parts.lastLoss, parts.loss ? parts.lossTitle.textContent : "");
  write(parts.lastWord, S.tokens[i]);
  for (const share of parts.lastNumbers) {
    const line = stagesOf(S, share.head)[share.stage][i];
    const x = line[share.j];
    const isShare = share.stage === "weights";
    paintText(share, isShare ? shareText(line, share.j) : number(x), ROOM);
    if (!isShare || Object.is(share.value, x)) continue;
    share.value = x;
    share.box.style.setProperty("--shade", `${Math.round(100 * Math.min(1, Math.abs(x) || 0))}%`);
  }
}
