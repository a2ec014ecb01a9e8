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

const header = (scope, text, data = {}) => make("th", { scope, data, dir: "auto" }, text);
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

  const head = make("tr", {}, make("td", { className: "corner" }), ...names.cols.map((name) => header("col", name)));
  if (stage === "weights") head.append(make("th", { scope: "col", className: "sum" }, "sum"));
  const body = make("tbody", {}, ...rows.map(line));
  if (stage === "weights" && rows.length > 1) body.append(columnSums(S, sums));

  const table = make("table", { role: editable ? "table" : "grid", "aria-label": stage }, make("thead", {}, head), body);
  const title = make("figcaption", {}, make("b", {}, stage.replace("_", " ").replace("weights", "attention weights")),
    make("span", { className: "formula" }));
  if (STAGES[stage].run === null) title.firstChild.textContent = stage;
  const element = make("figure", { data: { stage } }, title, make("div", { className: "scroll" }, table));
  element.classList.toggle("editable", editable);
  if (!editable) cells[0].td.tabIndex = 0; // one tab stop; arrows move inside

  const paint = (S, scale, visible) => {
    const shape = `${rows.length} × ${S[stage][0].length}`;
    write(title.lastChild, `${STAGES[stage].formula(S, visible)} · ${shape}`);
    const style = { stage, scale, decimals: STAGES[stage].run ? 2 : decimalsOf(S, stage), range: editable && range(S, stage) };
    for (const cell of cells) paintCell(S, cell, style);
    for (const cell of sums) write(cell.th, number(cell.of(S)));
  };
  return { element, paint, cells };
}

function handle(name) {
  const title = `drag to stretch or flip ${name}, double click to reset it`;
  return make("span", { className: "handle", title, data: { handle: "row" }, "aria-hidden": "true" }, "↔");
}

function sumCell(sums, kind, of) {
  const th = make("th", { className: "sum", data: { sum: kind } }, "");
  sums.push({ th, of });
  return th;
}

function columnSums(S, sums) {
  const tr = make("tr", { className: "sums" }, header("row", "sum"));
  S.tokens.forEach((_, j) => tr.append(sumCell(sums, "column", (S) => sum(S.weights.map((line) => line[j])))));
  tr.append(make("td", { className: "corner" }));
  return tr;
}

function buildCell(stage, i, j, names) {
  const node = document.createTextNode("");
  const td = make("td", { data: { row: i, col: j } });
  if (!names) {
    td.setAttribute("role", "gridcell");
    td.tabIndex = -1;
    td.append(node);
    return { td: focusable(td, `${stage}-${i}-${j}`), node, i, j };
  }
  const slider = make("input", { type: "range", step: "any", "aria-label": `${names.rows[i]}, ${names.cols[j]}` });
  td.append(make("span", { className: "number" }, node), focusable(slider, `${stage}-${i}-${j}`));
  return { td, node, slider, i, j };
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function paintCell(S, cell, { stage, scale, decimals, range }) {
  const { td, i, j } = cell;
  const x = S[stage][i][j];
  const masked = isMasked(S, stage, i, j);
  const text = masked && x === 0 ? "0" : number(x, decimals);
  if (cell.text !== text) cell.node.data = cell.text = text;
  if (!Object.is(cell.value, x)) {
    cell.value = x;
    td.dataset.value = x === -Infinity ? "-inf" : x;
    if (cell.slider) cell.slider.setAttribute("aria-valuetext", String(x));
  }
  const shade = masked || !Number.isFinite(x) ? 0 : Math.round(100 * Math.min(1, Math.abs(x) / scale));
  const mark = `${shade} ${x < 0} ${masked} ${cell.slider && differs(S, stage, i, j)}`;
  if (cell.mark !== mark) {
    cell.mark = mark;
    td.style.setProperty("--shade", `${shade}%`);
    td.classList.toggle("negative", x < 0);
    td.classList.toggle("changed", Boolean(cell.slider) && differs(S, stage, i, j));
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
