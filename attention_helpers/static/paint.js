// Keeps true what stands in the page: numbers, shades, lights, words. Only what changed is written.

import { TEXT } from "./words/en.js";
import { digits, extent, fill, isolated, largest, number } from "./numbers.js";
import { isMasked } from "./masks.js";
import { STAGES, isInput, lights, rowsOf } from "./engine.js";
import { stagesOf } from "./heads.js";
import { summary } from "./sentences.js";
import { isLocked, since } from "./questions.js";
import { decimalsOf, nice, range } from "./store.js";
import { write } from "./dom.js";
import { drawPlane } from "./plane.js";
import { paintLast } from "./last.js";
import { heard, paintLearning } from "./learn.js";
import { asking, headLookedAt, paintExplanation } from "./explain.js";

/** Paint everything that `build` has put into the page. */
export function paint(view) {
  const { S, atStart, tables, parts } = view;
  for (const painter of view.painters) painter(S);
  for (const table of tables) paintTable(view, table);
  if (parts.plane) parts.picture.replaceChildren(drawPlane(S, atStart, asking(view), headLookedAt(view)));
  paintLearning(view);
  if (isLocked(S)) return;
  paintLast(view, asking(view));
  paintExplanation(view);
  paintLater(view);
}

function paintTable({ S: all, atStart, visible }, table) {
  const { stage, cells, sums, undo } = table;
  const { formula, run } = STAGES[stage];
  const S = stagesOf(all, table.head);
  const size = fill(TEXT.formulas.size, { rows: rowsOf(S, stage).length, columns: S[stage][0].length });
  write(table.formula, stage === "embeddings" ? size : formula(S, visible));
  if (table.caption.title !== size) table.caption.title = size;
  const { min, max } = cells[0].slider ? range(S, stage) : {};
  const style = { stage, scale: colourScale(all, atStart, stage), decimals: run ? 2 : decimalsOf(S, stage), min, max };
  const styled = JSON.stringify(style);
  const isNew = table.styled !== styled;
  for (const cell of cells) {
    if (isNew && cell.slider) Object.assign(cell.slider, { min, max });
    if (isNew || !Object.is(cell.value, S[stage][cell.i][cell.j])) paintCell(S, cell, style, table.room);
  }
  if (stage === "weights") paintShares(S, table);
  table.styled = styled;
  for (const cell of sums) paintText(cell, number(cell.of(S)), table.room);
  if (undo) undo.classList.toggle("idle", !cells.some((cell) => cell.changed));
}

// The number that has the full colour. Attention weights: always 1. Inputs: the end of the slider. Other stages: a round number
// that held them at the start, and never shrinks below it, so that moving a number does not repaint the meaning of a colour.
function colourScale(S, atStart, stage) {
  if (isInput(stage)) return range(S, stage).max;
  const most = (of) => nice(Math.max(...(of[stage] ? [of] : of.each).map((one) => extent(one[stage]))));
  return STAGES[stage].scale ?? Math.max(most(atStart), most(S));
}

/** A number in its box. One with more digits than there is room for is set smaller, so that nothing around it moves. */
export function paintText(cell, text, room = Infinity) {
  if (cell.text === text) return;
  cell.node.data = cell.text = text;
  const wide = digits(text);
  const size = wide > room ? `${Math.floor((100 * room) / wide)}%` : "";
  if ((cell.size ?? "") !== size) cell.node.parentNode.style.fontSize = cell.size = size;
}

/** Give a cell a class, or take it away. */
function setClass(cell, name, on) {
  if (cell[name] !== on) cell.td.classList.toggle(name, (cell[name] = on));
}

/** Mark each row's largest share, and print as many decimals as decide. */
function paintShares({ weights }, { cells, room }) {
  const rows = new Map();
  for (const { i } of cells) if (!rows.has(i)) rows.set(i, leader(weights[i]));
  for (const cell of cells) {
    const row = rows.get(cell.i);
    setClass(cell, "most", row.top.includes(cell.j));
    if (cell.text !== "0") paintText(cell, shareText(weights[cell.i], cell.j, row), room);
  }
}

/** A share of a row, with as many decimals as tell it from the next one, and from 1. */
export function shareText(line, j, { top, next, close } = leader(line)) {
  const x = line[j];
  const decides = (x > 0.98 && x < 0.9995) || (close && (top.includes(j) || x === next));
  return decides ? number(x, 3) : number(x);
}

/** The places of a row's largest share, the next share, and whether two decimals would not tell them apart. */
function leader(line) {
  if (line.some(Number.isNaN)) return { top: [] };
  const top = largest(line);
  const next = Math.max(...line.filter((_, j) => !top.includes(j)));
  const close = number(line[top[0]]) === number(next) && number(next) !== number(0);
  return { top: top.length === line.length ? [] : top, next, close };
}

function paintCell(S, cell, { stage, scale, decimals }, room) {
  const { td, i, j } = cell;
  const x = S[stage][i][j];
  const masked = isMasked(S, stage, i, j);
  paintText(cell, masked && x === 0 ? "0" : number(x, decimals), room);
  if (!Object.is(cell.value, x)) {
    cell.value = x;
    td.dataset.value = x === -Infinity ? "-inf" : x;
    if (cell.slider) cell.slider.setAttribute("aria-valuetext", String(x));
  }
  const shade = masked || !Number.isFinite(x) ? 0 : Math.round(100 * Math.min(1, Math.abs(x) / scale));
  const changed = cell.slider ? S.start[stage]?.[i]?.[j] !== x : false;
  if (cell.shade !== shade) td.style.setProperty("--shade", `${(cell.shade = shade)}%`);
  setClass(cell, "negative", x < 0);
  setClass(cell, "changed", changed);
  if (cell.masked !== masked) {
    cell.masked = masked;
    if (masked) td.dataset.masked = "true";
    else delete td.dataset.masked;
  }
  if (cell.slider && Number(cell.slider.value) !== x) cell.slider.value = x;
}

/** What may come a moment after the numbers, a fifth of the time at most. */
function paintLater(view) {
  view.later ??= requestAnimationFrame(() => setTimeout(() => {
    view.later = null;
    const begun = performance.now();
    paintResult(view);
    view.pause = 4 * (performance.now() - begun);
  }, view.pause));
}

function paintResult(view) {
  const { S, parts } = view;
  if (isLocked(S) || !parts.lights.isConnected) return;
  const on = lights(S, rowsOf(S, "weights"));
  for (const li of parts.lights.children)
    if (li.dataset.on !== String(on[li.dataset.light])) li.dataset.on = on[li.dataset.light];
  const shown = view.visible.includes("weights");
  const { kind, changed, text, more } = shown ? summary(S, asking(view)) : { kind: "", changed: [], text: "", more: "" };
  parts.lights.hidden = !shown;
  Object.assign(parts.summary.dataset, { kind, changed });
  write(parts.result, isolated(S, text));
  write(parts.more, more && ` ${more}`); // for who listens: the marks in the matrices say it to eyes
}

/** When the hand rests, the result is heard; and what changes the height of the question is written. */
export function announce(view) {
  paintResult(view);
  write(view.parts.since, since(view.S, view.store.verdict));
  write(view.parts.announcement, heard(view) + view.parts.summary.textContent);
}
