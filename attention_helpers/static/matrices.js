// One stage as a table, still without its numbers: those are painted.

import { TEXT } from "./words/en.js";
import { column, fill, sum } from "./numbers.js";
import { STAGES, isSquare, labels, madeBy, rowsOf } from "./engine.js";
import { columnsOfHead, headNames, stagesOf } from "./heads.js";
import { focusable, make } from "./dom.js";

const header = (scope, text) =>
  make("th", { scope }, make("span", { className: "label", dir: "auto", title: text.length > 12 ? text : "" }, text));

/** Which sums of the attention weights are the subject. */
function sumsOf(S, stage) {
  const controls = (...names) => names.some((name) => S.controls.includes(name));
  const subject = STAGES[stage].sums && (!(S.W_query || S.W_key) || S.mask !== "none" || controls("axis", "normalise", "mask"));
  return { rows: subject, columns: STAGES[stage].sums && S.query === null && (controls("axis") || S.axis === "columns") };
}

/** Build the table of one stage, of one head where each has its own: its element, and what is painted in it. */
export function buildTable(S, stage, visible, head) {
  const summed = sumsOf(S, stage);
  const editable = S.edit.includes(stage);
  const names = labels(S, stage);
  const rows = rowsOf(S, stage);
  const shared = columnsOfHead(S, stage);
  const begins = (element, j) => j > 0 && j % shared === 0 && element.classList.add("begins"); // a head's columns
  const [cells, sums] = [[], []];

  const line = (i) => {
    const label = header("row", names.rows[i]);
    if (stage === "embeddings" && editable) label.append(handle(names.rows[i]));
    const row = stagesOf(S, head)[stage][i].map((_, j) => buildCell(stage, head, i, j, editable && cellName(stage, names.rows[i], names.cols[j])));
    row.forEach(({ td }, j) => begins(td, j));
    cells.push(...row);
    const tr = make("tr", { data: { row: i } }, label, ...row.map(({ td }) => td));
    if (summed.rows) tr.append(sumCell(sums, "row", (S) => sum(S[stage][i])));
    return tr;
  };

  const corner = make("th", { scope: "col" }, make("span", { className: "only-heard" }, TEXT.table.row));
  const top = make("tr", {}, corner, ...names.cols.map((name) => header("col", name)));
  names.cols.forEach((_, j) => begins(top.children[j + 1], j));
  const body = make("tbody", {}, ...rows.map(line));
  if (summed.rows) top.append(make("th", { scope: "col", className: "sum" }, TEXT.table.sum));
  if (summed.columns)
    body.append(make("tr", { className: "sums" }, header("row", TEXT.table.sum),
      ...names.cols.map((_, j) => sumCell(sums, "column", (S) => sum(column(S[stage], j))))));

  const title = TEXT.stages[stage];
  const name = head === null ? title : fill(TEXT.of_head, { stage: title, head: headNames(S)[head] });
  const table = make("table", { role: editable ? "table" : "grid", "aria-label": name }, make("thead", {}, top), body);
  const formula = make("span", { className: "formula" });
  const undo = editable && resetButton(stage);
  const caption = make("figcaption", {}, make("b", {}, title), " ", formula, ...(undo ? [" ", undo] : []));
  const scroll = make("div", { className: "scroll" }, table);
  const element = make("figure", { data: { stage } }, caption, scroll);
  if (head !== null) markHead(S, head, stage === visible.find(isSquare), { element, scroll, caption });
  element.classList.toggle("editable", editable);
  element.classList.toggle("named-above", visible.includes(madeBy(stage))); // by its weight matrix
  if (!editable) cells[0].td.tabIndex = 0; // one tab stop; arrows move inside
  return { stage, head, element, table, caption, cells, sums, formula, undo, styled: null, room: undefined };
}

/** Say of which head a table is: its first one has the switch, which stands over the table where one word asks. */
function markHead(S, head, isFirst, { element, scroll, caption }) {
  const text = headNames(S)[head];
  element.dataset.head = head;
  element.classList.toggle("off", S.off.includes(head));
  const name = isFirst ? headButton(S, head, text) : make("span", { className: "of-head" }, text);
  if (isFirst && S.query !== null) scroll.prepend(make("div", { className: "head-name" }, name));
  else caption.firstChild.after(" ", name);
}

function headButton(S, head, text) {
  const isOff = S.off.includes(head);
  const title = fill(isOff ? TEXT.table.head_on : TEXT.table.head_off, { head: text });
  const button = { type: "button", className: "of-head", title, "aria-pressed": !isOff, data: { action: "head", head } };
  return focusable(make("button", button, text), `head-${head}`);
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

function buildCell(stage, head, i, j, name) {
  const td = (name ? EMPTY : COMPUTED).cloneNode(true);
  const node = td.firstChild.firstChild;
  const key = [stage, i, j, ...(head === null ? [] : [head])].join("-");
  td.setAttribute("data-row", i); // dataset takes longer
  td.setAttribute("data-col", j);
  if (head !== null) td.setAttribute("data-head", head);
  const cell = { td, node, i, j, shade: 0, negative: false, changed: false, masked: false, most: false };
  if (!name) {
    td.setAttribute("data-key", key);
    return cell;
  }
  const slider = focusable(make("input", { type: "range", step: "any", "aria-label": name }), key);
  td.append(slider);
  return { ...cell, slider };
}
