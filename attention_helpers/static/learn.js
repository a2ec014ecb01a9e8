// What is seen of learning: the loss and its curve, arrows that say which way to drag, marks where a wish stands.

import { TEXT } from "./words/en.js";
import { exactly, fill, lossText, number } from "./numbers.js";
import { labels } from "./engine.js";
import { isLocked } from "./questions.js";
import { MASKS } from "./masks.js";
import { goalOf, gradients, loss, mayWish, wishes } from "./learning.js";
import { wayDown } from "./slopes.js";
import { ENDS } from "./walk.js";
import { drawCurve } from "./curve.js";
import { make, write } from "./dom.js";

/** Whether there is a place for the loss: not before a question is answered. */
export const showsLoss = (S) => !isLocked(S) && (S.goal !== null || S.controls.includes("goal") || S.controls.includes("learn"));
const showsSlopes = (S) => S.slopes && S.goal !== null && !isLocked(S);

/** The figure of the loss, and the parts of it that are painted. */
export function buildLoss() {
  const [title, formula] = [make("b"), make("span", { className: "formula" })];
  const curve = make("div", { className: "picture curve" });
  const status = make("p", { className: "status", data: { part: "status" } });
  const caption = make("figcaption", {}, title, formula);
  return { loss: make("figure", { data: { part: "loss" } }, caption, curve, status), lossTitle: title, lossFormula: formula, curve, status };
}

export function paintLearning(view) {
  const { S, parts, tables } = view;
  if (parts.loss) paintLoss(view);
  for (const table of tables) if (["weights", "context"].includes(table.stage) && table.goal !== S.goal) paintWishes(S, table);
  if (S.slopes) paintSlopes(view);
}

function paintLoss({ S, store, parts }) {
  const now = loss(S);
  write(parts.lossTitle, fill(TEXT.learning.loss, { loss: now === null ? "–" : lossText(now) }));
  write(parts.lossFormula, formulaOf(S, now));
  write(parts.status, statusOf(S, store));
  if (now === null) delete parts.loss.dataset.value;
  else parts.loss.dataset.value = now;
  const losses = now === null || S.losses.at(-1) === now ? S.losses : [...S.losses, now];
  const drawn = losses.join();
  if (parts.drawn === drawn) return;
  parts.drawn = drawn;
  parts.curve.replaceChildren(...(losses.length ? [drawCurve(losses)] : []));
}

/** Of what the loss is −log: one share and its wish, or several. */
function formulaOf(S, now) {
  const all = wishes(S);
  if (all.length === 0) return "";
  if (all.length > 1) return fill(TEXT.learning.mean, { n: all.length });
  return fill(TEXT.learning.of_one, { share: exactly(Math.exp(-now)), row: all[0].row, column: all[0].column });
}

/** What the last step or run came to; else how many steps there were. */
function statusOf(S, { told, running }) {
  if (S.goal === null) return S.controls.includes("goal") ? TEXT.learning.no_goal[wishedIn(S)[0]] : "";
  if (told?.losses !== S.losses) return fill(TEXT.learning.way, { n: S.losses.length - 1 });
  const [from, to] = S.losses.slice(-2).map(lossText);
  return fill(TEXT.learning[running && told.kind === "step" ? "running" : told.kind], { ...ENDS, ...told, from, to });
}

/** What is heard of the loss when the hand rests. */
export const heard = ({ S, store, parts }) => (parts.loss && S.goal ? `${parts.lossTitle.textContent}. ${statusOf(S, store)} ` : "");

function paintWishes(S, table) {
  const here = wishes(S).filter(({ kind, head }) => kind === table.stage && (table.head === null || table.head === head));
  for (const cell of table.cells) {
    const wished = here.some(({ i, j }) => i === cell.i && j === cell.j);
    if (wished === Boolean(cell.ring)) continue;
    cell.ring?.remove();
    cell.ring = wished ? make("span", { className: "only-heard" }, TEXT.learning.wished) : null;
    if (wished) cell.td.append(cell.ring);
    if (wished) cell.td.dataset.goal = "true";
    else delete cell.td.dataset.goal;
  }
  table.goal = S.goal;
}

function paintSlopes({ S, tables }) {
  const G = showsSlopes(S) ? gradients(S) : null;
  const edited = tables.filter(({ stage }) => S.edit.includes(stage));
  const steepest = G && Math.max(...edited.map(({ stage }) => Math.max(...G[stage].flat().map(Math.abs))));
  for (const { stage, cells } of edited) for (const cell of cells) paintSlope(cell, G ? G[stage][cell.i][cell.j] : null, steepest);
}

/** An arrow to the side on which the loss falls, larger where it falls steeper. */
function paintSlope(cell, slope, steepest) {
  const way = slope === null ? "" : wayDown(slope);
  const mark = way && `${way} ${Math.ceil((10 * Math.abs(slope)) / steepest) / 10}`;
  const { td, slider } = cell;
  if (cell.way !== mark) {
    cell.way = mark;
    td.dataset.way = way;
    td.style.setProperty("--steep", mark.split(" ")[1] ?? 0);
  }
  if (cell.slope === slope && cell.heard === cell.value) return;
  Object.assign(cell, { slope, heard: cell.value });
  if (slope === null) delete td.dataset.slope;
  else td.dataset.slope = slope;
  const said = slope === null ? String(cell.value) : fill(TEXT.slopes.heard, { x: exactly(cell.value), slope: number(slope) });
  slider.setAttribute("aria-valuetext", said);
}

/** The stages in which a click wishes: those that the goal was about at the start. */
export const wishedIn = (S) => Object.keys(S.start.goal ?? { weights: {} });

/** A click on a share sets that row's wish, or takes it back. Whether it was meant so. */
export function wish(view, { stage: kind, i, j, head: at }) {
  const { S, store } = view;
  if (!S.controls.includes("goal") || !wishedIn(S).includes(kind) || isLocked(S)) return false;
  const { rows, cols } = labels(S, kind);
  const head = at ?? 0;
  const [mine, all] = [{ kind, i, j, head, at: head, row: rows[i], column: cols[j] }, wishes(S)];
  const isRow = (other) => other.kind === kind && other.i === i && (kind === "context" || other.head === head);
  const isSame = (other) => isRow(other) && other.j === j;
  const others = all.filter((other) => !isRow(other));
  const why = !mayWish(S, mine) ? fill(TEXT.refused.hidden_wish, { ...mine, why: fill(MASKS[S.mask].why, mine) })
    : S.normalise !== "softmax" || S.axis !== "rows" ? TEXT.refused.no_softmax : "";
  view.message(why);
  if (!why) store.edit({ goal: goalOf(S, all.some(isSame) ? others : [...others, mine]) });
  return true;
}
