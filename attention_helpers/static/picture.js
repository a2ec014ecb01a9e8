// The matrices as a drawing of their own: every box and every text where the page has it, so that any program can show it.

import { TEXT } from "./words/en.js";
import { fill } from "./numbers.js";
import { svg } from "./dom.js";

const MARGIN = 12; // pixels
const NO_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const UNDRAWN = "button:not(.of-head), input, .handle, svg";
const RINGS = { two: "--two", one: "--one", selected: "--strong" };

/** A function from any colour of CSS to one that every program knows. */
function colours() {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  return (colour) => {
    if (known.has(colour)) return known.get(colour);
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = context.getImageData(0, 0, 1, 1).data;
    const hex = alpha ? `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}` : "none";
    known.set(colour, hex);
    return hex;
  };
}

/** What is to be seen of an element, inside all that cut it off. */
function windowOf(element, flow) {
  const seen = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  for (let at = element; at !== flow; at = at.parentElement) {
    if (getComputedStyle(at).overflow !== "hidden") continue;
    const box = at.getBoundingClientRect();
    for (const side of ["left", "top"]) seen[side] = Math.max(seen[side], box[side]);
    for (const side of ["right", "bottom"]) seen[side] = Math.min(seen[side], box[side]);
  }
  return seen;
}

/** A text as the lines in which it stands: each with its place. */
function linesOf(node, seen) {
  const range = node.ownerDocument.createRange();
  const lines = [];
  let k = 0;
  for (const character of node.data) {
    range.setStart(node, k);
    range.setEnd(node, (k += character.length));
    const [box] = range.getClientRects();
    if (!box || box.right > seen.right + 1 || box.left < seen.left - 1 || box.bottom > seen.bottom + 3 || box.top < seen.top - 3) continue;
    const line = lines.at(-1);
    if (!line || Math.abs(line.top - box.top) > 2) lines.push({ text: character, left: box.left, right: box.right, top: box.top, height: box.height });
    else Object.assign(line, { text: line.text + character, left: Math.min(line.left, box.left), right: Math.max(line.right, box.right) });
  }
  return lines.filter(({ text }) => text.trim());
}

function* textsIn(flow, colour) {
  const walker = flow.ownerDocument.createTreeWalker(flow, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const element = node.parentElement;
    const style = getComputedStyle(element);
    if (element.closest(UNDRAWN) || style.visibility === "hidden") continue;
    const size = parseFloat(style.fontSize);
    const cell = element.closest("td")?.getBoundingClientRect();
    for (const { text, left, right, top, height } of linesOf(node, windowOf(element, flow)))
      yield svg("text", {
        x: cell ? (left + right) / 2 : left, y: (cell ? (cell.top + cell.bottom) / 2 : top + height / 2) + 0.35 * size, fill: colour(style.color), "font-size": size,
        "font-weight": style.fontWeight, "font-style": style.fontStyle, "text-decoration": style.textDecorationLine, "text-anchor": cell ? "middle" : "start",
      }, text);
  }
}

function* boxesIn(flow, colour, variable) {
  for (const td of flow.querySelectorAll("td[data-col]")) {
    const { left: x, top: y, width, height, right, bottom } = td.getBoundingClientRect();
    const box = (more) => svg("rect", { x, y, width, height, rx: 3, ...more });
    yield box({ fill: td.dataset.masked ? "url(#hidden)" : colour(getComputedStyle(td).backgroundColor) });
    const [ring] = Object.keys(RINGS).filter((name) => td.classList.contains(name));
    if (ring ?? td.dataset.goal) yield box({ fill: "none", stroke: variable(RINGS[ring ?? "one"]), "stroke-width": 2 });
    const line = (x1, y1, x2, y2, stroke) => svg("line", { x1, y1, x2, y2, stroke, "stroke-width": 2 });
    if (td.classList.contains("most")) yield line(x + 2, bottom - 2, right - 2, bottom - 2, variable("--mark"));
    if (td.classList.contains("changed")) yield svg("circle", { cx: right - 5, cy: y + 5, r: 2.5, fill: variable("--strong") });
  }
}

const LOOKS = ["fill", "stroke", "fill-opacity", "stroke-width", "font-size", "font-weight", "font-family"];

/** A drawing that stands in the page, with its looks written into it. */
function copied(drawn, colour) {
  const copy = drawn.cloneNode(true);
  const [from, to] = [drawn, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of LOOKS) {
      const value = style.getPropertyValue(name);
      to[k].setAttribute(name, name === "fill" || name === "stroke" ? (value === "none" ? value : colour(value)) : value);
    }
    to[k].removeAttribute("class");
  });
  const { left: x, top: y, width, height } = drawn.getBoundingClientRect();
  for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, value);
  return copy;
}

/** Draw the matrices of an explorer: SVG as text, and how large it is. */
export function drawn({ root, S, visible }) {
  const flow = root.querySelector(".flow");
  const colour = colours();
  const variable = (name) => colour(getComputedStyle(root).getPropertyValue(name).trim());
  const drawings = [...flow.querySelectorAll("svg")].filter((one) => one.getClientRects().length).map((one) => copied(one, colour));
  const parts = [...boxesIn(flow, colour, variable), ...textsIn(flow, colour), ...drawings];
  const boxes = [...flow.querySelectorAll("figure, table, svg")].map((one) => one.getBoundingClientRect()).filter((box) => box.width > 1);
  const ends = (side, most) => Math[most](...boxes.map((box) => box[side]));
  const [left, top] = [ends("left", "min") - MARGIN, ends("top", "min") - MARGIN];
  const [width, height] = [ends("right", "max") + MARGIN - left, ends("bottom", "max") + MARGIN - top].map(Math.ceil);
  const hatch = svg("pattern", { id: "hidden", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("line", { x1: 3, y1: 0, x2: 3, y2: 6, stroke: variable("--line") }));
  const named = fill(TEXT.alt, { sentence: S.tokens.join(" "), stages: visible.map((name) => TEXT.stages[name]).join(", ") });
  const picture = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `${left} ${top} ${width} ${height}`, role: "img",
    "font-family": "system-ui, 'DejaVu Sans', Arial, sans-serif",
  }, svg("title", {}, named), svg("defs", {}, hatch),
  svg("rect", { x: left, y: top, width, height, fill: variable("--paper") }), ...parts);
  return { text: new XMLSerializer().serializeToString(picture).replace(NO_XML, ""), width, height };
}

/** The same as a PNG, of twice as many pixels. */
export async function pixels({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = new OffscreenCanvas(2 * width, 2 * height);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/png" });
}
