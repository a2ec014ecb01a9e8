// Where a number comes from: the selected cell, its sources, its sentence, the caption, the asking row.

import { TEXT } from "./words/en.js";
import { largest, parted } from "./numbers.js";
import { STAGES, explain, isInput, isSquare, rowsOf, shownAs } from "./engine.js";
import { TABLES } from "./options.js";
import { saySlope } from "./slopes.js";
import { make, write, writeParts } from "./dom.js";

/** The row that is looked at: under the pointer, clicked, or the one that `query` names. */
export const asking = (view) => view.hovered ?? view.pinned ?? view.S.query;

const cellAt = (view, { stage, i, j }) => view.tables[stage]?.cells.find((cell) => cell.i === i && cell.j === j);

export function select(view, { stage, i, j }) {
  const { selected } = view;
  if (selected?.stage === stage && selected.i === i && selected.j === j) return;
  view.selected = { stage, i, j };
  if (!TABLES.includes(stage) || stage === "embeddings") view.touched = i;
  tabStop(view);
  paintExplanation(view);
}

/** The selected cell is the one of its matrix that Tab stops at. */
export function tabStop({ tables, selected }) {
  if (!selected) return;
  for (const { td, i, j, slider } of tables[selected.stage]?.cells ?? []) if (!slider) td.tabIndex = i === selected.i && j === selected.j ? 0 : -1;
}

export function move(view, { stage, i, j }, key) {
  const [di, dj] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  cellAt(view, { stage, i: i + di, j: j + dj })?.td.focus({ focusVisible: true }); // WebKit shows no ring after a click else
  return true;
}

export function paintExplanation(view) {
  const { S, selected, parts: { explanation } } = view;
  const cell = selected && cellAt(view, selected);
  if (!cell) view.selected = null;
  for (const td of view.lit) {
    td.classList.remove("selected", "one", "two");
    for (const described of [td, ...td.children]) described.removeAttribute("aria-describedby");
  }
  view.lit = [];
  dimRows(view);
  paintCaption(view);
  const said = cell && (cell.slider ? ofSlope(S, selected) : explain(S, selected.stage, selected.i, selected.j));
  explanation.dataset.fate = said?.fate ?? "";
  if (!said) return write(explanation, view.visible.every(isInput) ? "" : TEXT.say.nothing);
  writeParts(explanation, said.parts);
  said.from.forEach((source, k) => light(view, source, k === 0 ? "one" : "two"));
  markLit(view, cell.td, "selected");
  (cell.slider ?? cell.td).setAttribute("aria-describedby", explanation.id);
}

/** What is said of a number that can be moved: its slope, where there are slopes. */
const ofSlope = (S, { stage, i, j }) => S.slopes && S.goal && { parts: saySlope(S, stage, i, j), from: [] };

function light(view, { stage, row, col }, role) {
  const name = shownAs(view.S, stage, view.visible);
  for (const { td, i, j } of view.tables[name]?.cells ?? [])
    if ((row === null || row === i) && (col === null || col === j)) markLit(view, td, role);
}

function markLit(view, td, name) {
  td.classList.add(name);
  view.lit.push(td);
}

function dimRows({ S, visible, tables, hovered, pinned }) {
  const row = hovered ?? pinned;
  for (const name of visible)
    if (!isInput(name) && rowsOf(S, name).length > 1)
      for (const tr of tables[name].table.tBodies[0].rows) tr.classList.toggle("dim", row !== null && tr.dataset.row !== String(row));
}

function paintCaption(view) {
  const { S, parts: { caption } } = view;
  const { i, j } = captionCell(view);
  if (view.captioned !== `${i} ${j}`) {
    view.captioned = `${i} ${j}`;
    const word = (k) => make("i", {}, S.tokens[k]);
    caption.replaceChildren(...parted(TEXT.caption, { row: word(i), column: word(j) }));
  }
  caption.hidden = !view.visible.some(isSquare);
  caption.classList.toggle("only-heard", !view.selected || !isSquare(view.selected.stage));
}

/** The pair of words the caption names: the selected one, else the asking word and its largest share. */
function captionCell(view) {
  const { S, selected } = view;
  const asked = selected && STAGES[selected.stage].asks;
  if (asked && isSquare(selected.stage)) return selected;
  const i = asked ? selected.i : (asking(view) ?? 0);
  return { i, j: S.weights[i].some(Number.isNaN) ? i : largest(S.weights[i])[0] };
}

/** Hovering a row's label makes it the asking row; a click keeps it so. */
export function listenToRows(view, signal) {
  const { root } = view;
  const rowOf = ({ target }) => {
    const tr = target.closest?.("th[scope=row]")?.closest("tr[data-row]");
    return tr && !isInput(tr.closest("[data-stage]").dataset.stage) ? Number(tr.dataset.row) : null;
  };
  const look = (rows) => {
    Object.assign(view, rows);
    view.redraw();
  };
  const hover = (hovered) => hovered !== view.hovered && look({ hovered });
  root.addEventListener("pointerover", (event) => hover(rowOf(event)), { signal });
  root.addEventListener("pointerleave", () => hover(null), { signal });
  root.addEventListener("click", (event) => {
    const row = rowOf(event);
    if (row !== null) look({ pinned: view.pinned === row ? null : row, hovered: null });
  }, { signal });
}
