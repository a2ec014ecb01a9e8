// How wide things are. Measured when the page is built and when its width changes, never while a number moves.

import { digits } from "./numbers.js";
import { STAGES, isSquare, madeBy } from "./engine.js";

/** Give each table its columns: room for a sign and two decimals and for what it holds now; a matrix has that of its product. */
function makeRoom({ S, tables }) {
  const least = (stage) => {
    if (stage === "weights") return S.normalise === "sum" || S.controls.includes("normalise") ? 5 : 3.9;
    if (S.slopes && S.edit.includes(stage)) return 7.4; // arrows
    return stage === "embeddings" || (S.heads > 1 && isSquare(stage)) || (STAGES[stage].line && S.query === null) ? 4.8 : 5.8;
  };
  const holds = {};
  for (const { stage, cells, sums } of tables)
    holds[stage] = Math.max(holds[stage] ?? least(stage), ...[...cells, ...sums].map(({ text }) => digits(text)));
  for (const table of tables) {
    const { stage } = table;
    const alike = S.query !== null && isSquare(stage) ? isSquare : (other) => other === stage || madeBy(other) === stage || madeBy(stage) === other;
    table.room = Math.max(...Object.keys(holds).filter(alike).map((other) => holds[other]));
    const { rows } = table.table;
    const sizes = { "--digits": table.room, "--rows": rows.length, "--columns": rows[0].cells.length };
    for (const [name, size] of Object.entries(sizes)) table.element.style.setProperty(name, size);
  }
}

const TRIED = { all: ["", "once", "once tight", "once tighter"], asking: ["", "brief", "brief tight", "brief tighter"] };
const [WIDE, HIGH] = [560, 49]; // pixels: less is a phone; em: more is no screen, however high
const SMALLEST = 0.85; // nothing gets smaller than this by being tight

/**
 * Lay the matrices out in the width there is. The line stands beside the matrices above it where that is lower (aside), names
 * of words once (once) or stages without their formula (brief), and smaller (tight) where that saves a line, all under one
 * another (narrow) where they must. Where all of it is more than a screen (long) the line that moves stays in sight.
 */
export function fit(view) {
  const { root, S } = view;
  if (view.fitted !== view.built) makeRoom(view);
  const many = S.tokens.length > 16; // known without measuring
  const big = S.tokens.length > 6 || [S.embeddings, S.queries, S.values].some(([line]) => line.length > 4);
  if (many) wear(root, "narrow");
  root.classList.toggle("many", many);
  if (big) root.classList.add("long");
  Object.assign(view, { fitted: view.built, width: root.clientWidth });
  if (!many) layOut(view, root.querySelector(".flow"));
  const screen = Math.min(HIGH * parseFloat(getComputedStyle(root).fontSize), paneOf(root));
  root.classList.toggle("long", big || root.offsetHeight > screen);
}

/** How high the part of the screen is in which the page is scrolled: JupyterLab's notebook, or the window. */
function paneOf(element) {
  const { parentElement: above } = element;
  if (!above) return innerHeight;
  const scrolls = ["auto", "scroll"].includes(getComputedStyle(above).overflowY);
  return scrolls && above.scrollHeight > above.clientHeight ? above.clientHeight : paneOf(above);
}

function wear(root, names) {
  root.classList.remove("narrow", "once", "aside", "brief", "tight", "tighter");
  root.classList.add(...names.split(" ").filter(Boolean));
}

/** Each question about a size after a change of clothes lays out everything anew: as few as there can be. */
function layOut({ root, S, parts }, flow) {
  const [upper, line, table] = [".upper", ".line", ".one-table"].map((part) => flow.querySelector(part));
  const asks = S.query !== null;
  if (root.clientWidth < WIDE) return wear(root, "narrow");
  const left = (part) => part.getBoundingClientRect().left;
  const spills = (caption) => left(caption.firstElementChild) < left(caption) - 1; // to the left, where nothing scrolls
  const isCut = (part) => part !== null && (part.scrollWidth > part.clientWidth + 4 // a table keeps 3 pixels for its rings
    || [...part.querySelectorAll(".one-table figure:not(.further) figcaption")].some(spills));
  const scrolls = () => [...line.querySelectorAll(".scroll")].some((part) => part.scrollWidth > part.clientWidth + 1);
  const isWide = () => upper.scrollWidth > flow.clientWidth + 1;
  const isOneLine = () => new Set([...line.children].map((part) => Math.round(part.getBoundingClientRect().bottom))).size <= 1;
  const isFit = () => !isWide() && (asks ? !isCut(table) : isOneLine());
  const fits = (names) => {
    wear(root, names);
    if (isWide()) return false; // aside as well
    if (!flow.matches(".product")) return isFit();
    const [below, fit] = [flow.offsetHeight, isFit()];
    root.classList.add("aside");
    if (![flow, line, table].some(isCut) && !scrolls() && flow.offsetHeight < below) return isFit();
    root.classList.remove("aside");
    return fit;
  };
  const [first, ...tighter] = TRIED[asks ? "asking" : "all"];
  if (!fits(first)) {
    const [wide, worn] = [isWide(), root.className];
    if (wide && SMALLEST * upper.scrollWidth <= flow.clientWidth) wear(root, tighter.at(-1));
    if (isWide() || !tighter.some(fits)) {
      if (wide || asks) return wear(root, "narrow");
      root.className = worn;
    }
  }
  if (!asks) placePlane(flow, parts.loss ?? parts.plane);
}

/** Put the plane at the end of the first line that has room for it, where it would take a line of its own. */
function placePlane(flow, plane) {
  const figures = [...flow.querySelectorAll(".beside [data-stage]")];
  if (!plane || !figures.length) return;
  figures.forEach((figure, k) => (figure.style.order = k));
  plane.style.order = figures.length;
  const wide = plane.offsetWidth + 20;
  const boxes = figures.map((figure) => figure.getBoundingClientRect());
  const right = flow.getBoundingClientRect().right;
  const k = boxes.findIndex((box, k) => boxes[k + 1]?.bottom !== box.bottom && right - box.right > wide);
  if (k >= 0) plane.style.order = k;
}

export function watchWidth(view) {
  const watch = new ResizeObserver(() => view.width !== view.root.clientWidth && fit(view));
  watch.observe(view.root);
  return () => watch.disconnect();
}
