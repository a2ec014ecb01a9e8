// Values and contexts as points in the plane, with the hull of the values.

import { labels } from "./engine.js";
import { number } from "./words.js";

const SIZE = { width: 300, height: 230, left: 34, right: 40, top: 30, bottom: 34 };

function svg(tag, attributes = {}, text = null) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
}

export const hasPlane = (S, visible) => S.values[0].length === 2 && visible.includes("context");

/** The corners of the convex hull of points, in order (Andrew's monotone chain). */
export function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (list) => {
    const corners = [];
    for (const p of list) {
      while (corners.length > 1 && turn(corners.at(-2), corners.at(-1), p) <= 0) corners.pop();
      corners.push(p);
    }
    return corners.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...chain(sorted), ...chain(sorted.reverse())];
}

/** The smallest of …, 0.1, 0.2, 0.3, 0.5, 1, … that is at least x. */
function tidy(x) {
  const power = 10 ** Math.floor(Math.log10(Math.max(x, 1e-6)));
  return power * [1, 2, 3, 5, 10].find((step) => step * power >= x * (1 - 1e-9));
}

/** From zero, or from a round number below, to a round number above. */
function axis(S, atStart, k) {
  const all = [...S.values, ...S.context, ...atStart.values].map((point) => point[k]).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  return { low: low < 0 ? -tidy(-low) : 0, high: tidy(Math.max(0, ...all)) };
}

/** Draw the plane anew: a few dozen elements, cheap enough for every frame. */
export function drawPlane(S, atStart, asking) {
  const [x, y] = [axis(S, atStart, 0), axis(S, atStart, 1)];
  const { width, height, left, right, top, bottom } = SIZE;
  const px = (v) => left + ((v - x.low) / (x.high - x.low)) * (width - left - right);
  const py = (v) => height - bottom - ((v - y.low) / (y.high - y.low)) * (height - top - bottom);
  const at = (point) => [px(point[0]), py(point[1])];
  const finite = (point) => point.every(Number.isFinite);

  const names = labels(S, "values").cols;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(S, asking) });
  picture.append(svg("path", { class: "axes", d: `M${px(x.low)} ${py(0)}H${px(x.high)}M${px(0)} ${py(y.low)}V${py(y.high)}` }));
  picture.append(svg("text", { class: "axis", x: px(x.high), y: py(0) + 26, "text-anchor": "end" }, names[0]));
  picture.append(svg("text", { class: "axis", x: px(0) - 6, y: 11, "text-anchor": "start" }, names[1]));
  for (const v of [x.low, x.high].filter(Boolean))
    picture.append(svg("text", { class: "tick", x: px(v), y: py(0) + 13, "text-anchor": "middle" }, tick(v)));
  for (const v of [y.low, y.high].filter(Boolean))
    picture.append(svg("text", { class: "tick", x: px(0) - 5, y: py(v) + 4, "text-anchor": "end" }, tick(v)));
  picture.append(svg("polygon", { class: "hull", points: hull(S.values).map((p) => at(p).join()).join(" ") }));
  for (const { point, words } of together(S.values.map(at), S.tokens))
    mark(picture, point, words, "value", (px, py) => svg("rect", { x: px - 4, y: py - 4, width: 8, height: 8 }));
  const shown = S.tokens.map((_, i) => i).filter((i) => finite(S.context[i]) && (asking === null || i === asking));
  for (const { point, words } of together(shown.map((i) => at(S.context[i])), shown.map((i) => S.tokens[i])))
    mark(picture, point, words, "mixed", (px, py) => svg("circle", { cx: px, cy: py, r: 5 }));
  return picture;
}

const tick = (v) => String(Number(v.toPrecision(3))).replace("-", "−");

/** Points that (nearly) coincide on the screen share a label. */
function together(points, words) {
  const groups = [];
  points.forEach((point, i) => {
    const near = groups.find((group) => Math.hypot(group.point[0] - point[0], group.point[1] - point[1]) < 9);
    if (near) near.words.push(words[i]);
    groups.push({ point, words: near ? [] : [words[i]] });
  });
  return groups.map(({ point, words }) => ({ point, words: words.join(", ") }));
}

function mark(picture, [px, py], words, kind, shape) {
  const group = svg("g", { class: kind });
  const text = words.length > 18 ? `${words.slice(0, 17)}…` : words;
  const wide = 7 * text.length;
  const left = kind === "mixed" ? px > wide : px + wide > SIZE.width; // contexts to the left where there is room
  const side = left ? { x: px - 7, "text-anchor": "end" } : { x: px + 7 };
  group.append(shape(px, py), svg("text", { ...side, y: py + (kind === "mixed" ? 13 : -6) }, text));
  picture.append(group);
}

function describe(S, asking) {
  const rows = asking === null ? S.tokens.map((_, i) => i) : [asking];
  const points = rows.map((i) => `context of ${S.tokens[i]} at ${S.context[i].map((v) => number(v)).join(", ")}`);
  return `Plane: ${points.join("; ")}.`;
}
