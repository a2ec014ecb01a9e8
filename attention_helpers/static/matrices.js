// Draws one stage as a table and keeps it up to date, writing only what changed.

import { isMasked, sum } from "./options.js";
import { STAGES, labels } from "./engine.js";
import { number } from "./words.js";
import { decimalsOf, nice, range } from "./store.js";

/** Make an element: properties, data-* attributes under `data`, children. Text is text, never HTML. */
export function make(tag, { data = {}, ...properties } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

/**
 * Let an element take the focus inside a notebook. JupyterLab would take its keys (the
 * letter x cuts the cell) unless the element itself carries this attribute.
 */
export function focusable(element, key) {
  element.dataset.lmSuppressShortcuts = "true";
  element.dataset.key = key;
  return element;
}

const header = (scope, text) => make("th", { scope }, make("span", { className: "label", dir: "auto", title: text.length > 12 ? text : "" }, text));
const askingRows = new Set(["queries", "scores", "scaled_scores", "masked_scores", "weights", "context"]);

/** The rows a stage shows: all, or the asking word's alone. */
export function rowsOf(S, stage) {
  if (S.query !== null && askingRows.has(stage)) return [S.query];
  return S[stage].map((_, i) => i);
}

/** Build the table of one stage. Returns its element and `paint(S)`. */
export function buildStage(S, stage) {
  const editable = S.edit.includes(stage);
  const names = labels(S, stage);
  const rows = rowsOf(S, stage);
  const cells = [];
  const sums = [];

  const line = (i) => {
    const label = header("row", names.rows[i]);
    if (stage === "embeddings" && editable) label.append(handle(names.rows[i]));
    const tr = make("tr", { data: { row: i } }, label);
    S[stage][i].forEach((_, j) => {
      const cell = buildCell(stage, i, j, editable && { rows: names.rows, cols: names.cols });
      cells.push(cell);
      tr.append(cell.td);
    });
    if (stage === "weights") tr.append(sumCell(sums, "row", (S) => sum(S.weights[i])));
    return tr;
  };

  const corner = make("th", { scope: "col" }, make("span", { className: "only-heard" }, "row"));
  const head = make("tr", {}, corner, ...names.cols.map((name) => header("col", name)));
  if (stage === "weights") head.append(make("th", { scope: "col", className: "sum" }, "sum"));
  const body = make("tbody", {}, ...rows.map(line));
  if (stage === "weights" && rows.length > 1) body.append(columnSums(S, sums));

  const table = make("table", { role: editable ? "table" : "grid", "aria-label": titleOf(stage) }, make("thead", {}, head), body);
  const formula = make("span", { className: "formula" });
  const undo = editable && resetButton(stage);
  const title = make("figcaption", {}, make("b", {}, titleOf(stage)), ...(undo ? [" ", undo] : []), formula);
  const element = make("figure", { data: { stage } }, title, make("div", { className: "scroll" }, table));
  element.classList.toggle("editable", editable);
  if (!editable) cells[0].td.tabIndex = 0; // one tab stop; arrows move inside

  let styled = null;

  const paint = (S, scale, visible) => {
    const shape = `${rows.length} × ${S[stage][0].length}`;
    write(formula, `${STAGES[stage].formula(S, visible)} · ${shape}`);
    const style = { stage, scale, decimals: STAGES[stage].run ? 2 : decimalsOf(S, stage), range: editable && range(S, stage) };
    const styleNow = JSON.stringify(style);
    for (const cell of cells)
      if (styled !== styleNow || !Object.is(cell.value, S[stage][cell.i][cell.j])) paintCell(S, cell, style);
    styled = styleNow;
    for (const cell of sums) paintText(cell, number(cell.of(S)));
    widen(table, [...cells, ...sums]);
    if (undo) undo.classList.toggle("idle", !cells.some((cell) => cell.changed));
  };
  return { element, paint, cells };
}

const titleOf = (stage) =>
  STAGES[stage].run === null ? stage : stage === "weights" ? "attention weights" : stage.replace("_", " ");

function resetButton(stage) {
  const title = `${stage} as at the start`;
  return focusable(make("button", { type: "button", title, "aria-label": title, data: { action: "reset-matrix" } }, "↺"), `reset-${stage}`);
}

function handle(name) {
  const title = `drag to stretch or flip ${name}, double click to reset it`;
  return make("span", { className: "handle", title, data: { handle: "row" }, "aria-hidden": "true" }, "↔");
}

function sumCell(sums, kind, of) {
  const node = document.createTextNode("");
  sums.push({ node, of });
  return make("th", { className: "sum", data: { sum: kind } }, make("span", { className: "number" }, node));
}

function columnSums(S, sums) {
  const tr = make("tr", { className: "sums" }, header("row", "sum"));
  S.tokens.forEach((_, j) => tr.append(sumCell(sums, "column", (S) => sum(S.weights.map((line) => line[j])))));
  return tr;
}

function buildCell(stage, i, j, names) {
  const node = document.createTextNode("");
  const td = make("td", { data: { row: i, col: j } }, make("span", { className: "number" }, node));
  if (!names) {
    td.setAttribute("role", "gridcell");
    td.tabIndex = -1;
    return { td: focusable(td, `${stage}-${i}-${j}`), node, i, j };
  }
  const slider = make("input", { type: "range", step: "any", "aria-label": `${names.rows[i]}, ${names.cols[j]}` });
  td.append(focusable(slider, `${stage}-${i}-${j}`));
  return { td, node, slider, i, j };
}

export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function paintText(cell, text) {
  if (cell.text !== text) cell.node.data = cell.text = text;
}

/**
 * Columns are as wide as the longest number they have held: a number has a box of its own,
 * so that new digits in it lay out nothing else.
 */
function widen(table, cells) {
  const digits = Math.max(4, ...cells.map((cell) => cell.text.length));
  if (digits <= (table.digits ?? 0)) return;
  table.digits = digits;
  table.style.setProperty("--digits", digits);
}

function paintCell(S, cell, { stage, scale, decimals, range }) {
  const { td, i, j } = cell;
  const x = S[stage][i][j];
  const masked = isMasked(S, stage, i, j);
  paintText(cell, masked && x === 0 ? "0" : number(x, decimals));
  if (!Object.is(cell.value, x)) {
    cell.value = x;
    td.dataset.value = x === -Infinity ? "-inf" : x;
    if (cell.slider) cell.slider.setAttribute("aria-valuetext", String(x));
  }
  const shade = masked || !Number.isFinite(x) ? 0 : Math.round(100 * Math.min(1, Math.abs(x) / scale));
  const changed = cell.slider ? differs(S, stage, i, j) : false;
  const mark = `${shade} ${x < 0} ${masked} ${changed}`;
  if (cell.mark !== mark) {
    cell.mark = mark;
    cell.changed = changed;
    td.style.setProperty("--shade", `${shade}%`);
    td.classList.toggle("negative", x < 0);
    td.classList.toggle("changed", changed);
    if (masked) td.dataset.masked = "true";
    else delete td.dataset.masked;
  }
  if (cell.slider) paintSlider(cell, x, range);
}

function paintSlider(cell, x, range) {
  if (cell.range?.min !== range.min || cell.range?.max !== range.max) {
    cell.slider.min = range.min;
    cell.slider.max = range.max;
    cell.range = range;
  }
  if (Number(cell.slider.value) !== x) cell.slider.value = x;
}

const differs = (S, stage, i, j) => S.start[stage]?.[i]?.[j] !== S[stage][i][j];

/**
 * The number that has the full colour. Attention weights: always 1. Inputs: the end of
 * the slider. Other stages: a round number that held them at the start, and never shrinks
 * below it, so that moving a number does not repaint the meaning of a colour.
 */
export function colourScales(S, atStart, visible) {
  const extent = (matrix) => Math.max(...matrix.flat().map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)));
  const scales = {};
  for (const stage of visible) {
    if (stage === "weights") scales[stage] = 1;
    else if (STAGES[stage].run === null) scales[stage] = range(S, stage).max;
    else scales[stage] = Math.max(nice(extent(atStart[stage])), nice(extent(S[stage])));
  }
  return scales;
}
