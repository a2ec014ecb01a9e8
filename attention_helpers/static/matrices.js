// One stage as a table, still without its numbers: those are painted.

import { TEXT } from "./words/en.js";
import { column, fill, sum } from "./numbers.js";
import { STAGES, labels, rowsOf } from "./engine.js";
import { madeBy } from "./fit.js";
import { focusable, make } from "./dom.js";

const header = (scope, text) =>
  make("th", { scope }, make("span", { className: "label", dir: "auto", title: text.length > 12 ? text : "" }, text));

/** Which sums of the attention weights are the subject. */
function sumsOf(S, stage) {
  const controls = (...names) => names.some((name) => S.controls.includes(name));
  const subject = STAGES[stage].sums && (!(S.W_query || S.W_key) || S.mask !== "none" || controls("axis", "normalise", "mask"));
  return { rows: subject, columns: STAGES[stage].sums && S.query === null && (controls("axis") || S.axis === "columns") };
}

/** Build the table of one stage: its element, and what is painted in it. */
export function buildTable(S, stage, visible) {
  const summed = sumsOf(S, stage);
  const editable = S.edit.includes(stage);
  const names = labels(S, stage);
  const rows = rowsOf(S, stage);
  const [cells, sums] = [[], []];

  const line = (i) => {
    const label = header("row", names.rows[i]);
    if (stage === "embeddings" && editable) label.append(handle(names.rows[i]));
    const row = S[stage][i].map((_, j) => buildCell(stage, i, j, editable && cellName(stage, names.rows[i], names.cols[j])));
    cells.push(...row);
    const tr = make("tr", { data: { row: i } }, label, ...row.map(({ td }) => td));
    if (summed.rows) tr.append(sumCell(sums, "row", (S) => sum(S[stage][i])));
    return tr;
  };

  const corner = make("th", { scope: "col" }, make("span", { className: "only-heard" }, TEXT.table.row));
  const head = make("tr", {}, corner, ...names.cols.map((name) => header("col", name)));
  const body = make("tbody", {}, ...rows.map(line));
  if (summed.rows) head.append(make("th", { scope: "col", className: "sum" }, TEXT.table.sum));
  if (summed.columns)
    body.append(make("tr", { className: "sums" }, header("row", TEXT.table.sum),
      ...names.cols.map((_, j) => sumCell(sums, "column", (S) => sum(column(S[stage], j))))));

  const title = TEXT.stages[stage];
  const table = make("table", { role: editable ? "table" : "grid", "aria-label": title }, make("thead", {}, head), body);
  const formula = make("span", { className: "formula" });
  const undo = editable && resetButton(stage);
  const caption = make("figcaption", {}, make("b", {}, title), " ", formula, ...(undo ? [" ", undo] : []));
  const scroll = make("div", { className: "scroll" }, table);
  const element = make("figure", { data: { stage } }, caption, scroll);
  element.classList.toggle("editable", editable);
  element.classList.toggle("named-above", visible.includes(madeBy(stage))); // by its weight matrix
  if (!editable) cells[0].td.tabIndex = 0; // one tab stop; arrows move inside
  return { stage, element, table, caption, cells, sums, formula, undo, styled: null, room: undefined };
}

const cellName = (stage, row, column) =>
  fill(TEXT.verbs[stage] ? TEXT.table.matrix_cell : TEXT.table.cell, { row, verb: TEXT.verbs[stage], column });

const handle = (word) =>
  make("span", { className: "handle", title: fill(TEXT.table.handle, { word }), data: { handle: "row" }, "aria-hidden": "true" }, "↔");

function resetButton(stage) {
  const title = fill(TEXT.table.reset, { stage: TEXT.stages[stage] });
  return focusable(make("button", { type: "button", title, "aria-label": title, data: { action: "reset-matrix" } }, "↺"), `reset-${stage}`);
}

function sumCell(sums, kind, of) {
  const node = document.createTextNode("");
  sums.push({ node, of });
  return make("th", { className: "sum", data: { sum: kind } }, make("span", { className: "number" }, node));
}

// A cell is copied, not made: there may be thousands.
const EMPTY = make("td", {}, make("span", { className: "number" }, "0"));
const COMPUTED = focusable(EMPTY.cloneNode(true), "");
COMPUTED.setAttribute("role", "gridcell");
COMPUTED.tabIndex = -1;

function buildCell(stage, i, j, name) {
  const td = (name ? EMPTY : COMPUTED).cloneNode(true);
  const node = td.firstChild.firstChild;
  const key = `${stage}-${i}-${j}`;
  Object.assign(td.dataset, { row: i, col: j });
  if (!name) {
    td.dataset.key = key;
    return { td, node, i, j };
  }
  const slider = focusable(make("input", { type: "range", step: "any", "aria-label": name }), key);
  td.append(slider);
  return { td, node, slider, i, j };
}
