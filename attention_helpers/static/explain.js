// Where a number comes from: the selected cell, its sources, its sentence, the caption, the asking row.

import { TEXT } from "./words/en.js";
import { formOf } from "./facts.js";
import { largest, parted } from "./numbers.js";
import { explain, isInput, isSquare, rowsOf, shownAs } from "./engine.js";
import { columnsOfHead, headNames, headsOf, stagesOf } from "./heads.js";
import { TABLES } from "./options.js";
import { saySlope } from "./slopes.js";
import { make, write, writeParts } from "./dom.js";

/** The row that is looked at: under the pointer, clicked, or the one that `query` names. */
export const asking = (view) => view.hovered ?? view.pinned ?? view.S.query;

/** The table of a stage, and of a head where each has its own. */
const tableAt = (view, { stage, head }) => view.tables.find((table) => table.stage === stage && table.head === head);
const cellAt = (view, at) => tableAt(view, at)?.cells.find((cell) => cell.i === at.i && cell.j === at.j);

export function select(view, { stage, i, j, head }) {
  const { selected } = view;
  if (selected?.stage === stage && selected.i === i && selected.j === j && selected.head === head) return;
  view.selected = { stage, i, j, head };
  if (!TABLES.includes(stage) || stage === "embeddings") view.touched = i;
  tabStop(view);
  if (view.S.heads > 1) view.redraw(); // the plane and the caption are of another head
  else paintExplanation(view);
}

/** The selected cell is the one of its matrix that Tab stops at. */
export function tabStop(view) {
  const { selected } = view;
  if (!selected) return;
  for (const { td, i, j, slider } of tableAt(view, selected)?.cells ?? []) if (!slider) td.tabIndex = i === selected.i && j === selected.j ? 0 : -1;
}

export function move(view, { i, j, ...table }, key) {
  const [di, dj] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  cellAt(view, { ...table, i: i + di, j: j + dj })?.td.focus({ focusVisible: true }); // WebKit shows no ring after a click else
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
  const said = cell && (cell.slider ? ofSlope(S, selected) : explain(S, selected.stage, selected.i, selected.j, selected.head));
  explanation.dataset.fate = said?.fate ?? "";
  if (!said) return write(explanation, view.visible.every(isInput) ? "" : TEXT.say.nothing);
  writeParts(explanation, said.parts);
  said.from.forEach((source, k) => light(view, source, k === 0 ? "one" : "two"));
  markLit(view, cell.td, "selected");
  (cell.slider ?? cell.td).setAttribute("aria-describedby", explanation.id);
}

/** What is said of a number that can be moved: its slope, where there are slopes. */
const ofSlope = (S, { stage, i, j }) => S.slopes && S.goal && { parts: saySlope(S, stage, i, j), from: [] };

function light(view, { stage, row, col, cols, head }, role) {
  const name = shownAs(stagesOf(view.S, head), stage, view.visible);
  const isIn = (j) => (cols ? cols[0] <= j && j < cols[1] : col === null || col === j);
  for (const { td, i, j } of tableAt(view, { stage: name, head })?.cells ?? [])
    if ((row === null || row === i) && isIn(j)) markLit(view, td, role);
}

function markLit(view, td, name) {
  td.classList.add(name);
  view.lit.push(td);
}

function dimRows({ S, tables, hovered, pinned }) {
  const row = hovered ?? pinned;
  for (const { stage, table } of tables)
    if (!isInput(stage) && rowsOf(S, stage).length > 1)
      for (const tr of table.tBodies[0].rows) tr.classList.toggle("dim", row !== null && tr.dataset.row !== String(row));
}

function paintCaption(view) {
  const { S, parts: { caption } } = view;
  const { i, j, head } = captionCell(view);
  if (view.captioned !== `${i} ${j} ${head}`) {
    view.captioned = `${i} ${j} ${head}`;
    const word = (k) => make("i", {}, S.tokens[k]);
    const text = head === null ? TEXT.caption : TEXT.caption_of_head;
    caption.replaceChildren(...parted(text, { row: word(i), column: word(j), head: head === null ? "" : headNames(S)[head] }));
  }
  caption.hidden = !view.visible.some(isSquare);
  caption.classList.toggle("only-heard", !view.selected || !isSquare(view.selected.stage));
}

/** The pair of words the caption names: the selected one, else the asking word and its largest share. */
function captionCell(view) {
  const { S, selected } = view;
  const asked = selected && formOf(selected.stage).asks;
  if (asked && isSquare(selected.stage)) return selected;
  const i = asked ? selected.i : (asking(view) ?? 0);
  const { weights } = headsOf(S)[headLookedAt(view)];
  return { i, j: weights[i].some(Number.isNaN) ? i : largest(weights[i])[0], head: S.heads > 1 ? headLookedAt(view) : null };
}

/** The head whose number was clicked last, else the first; there may be fewer by now. */
export function headLookedAt({ S, selected }) {
  const width = selected ? columnsOfHead(S, selected.stage) : 0;
  return Math.min(selected?.head ?? (width ? Math.floor(selected.j / width) : 0), headsOf(S).length - 1);
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
