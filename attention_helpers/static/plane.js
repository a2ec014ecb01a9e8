// Values and contexts as points in the plane, with the hull of the values.

import { TEXT } from "./words/en.js";
import { fill, number, sum } from "./numbers.js";
import { labels } from "./engine.js";
import { columnsOfHead, headNames, stagesOf } from "./heads.js";
import { make, svg } from "./dom.js";

const SIZE = { width: 250, height: 150, left: 24, right: 44, top: 22, bottom: 30 };

/** The figure of the plane and the place of its picture, where values and contexts lie in one. */
export function buildPlane(S, visible) {
  const each = columnsOfHead(S, "values");
  if (![S.values[0].length, each].includes(2) || !visible.includes("context")) return {};
  const picture = make("div", { className: "picture" });
  const formula = each === 1 ? TEXT.plane.formula_of_heads : TEXT.plane.formula;
  const caption = make("figcaption", {}, make("b", {}, TEXT.plane.title), make("span", { className: "formula" }, formula));
  return { picture, plane: make("figure", { data: { part: "plane" } }, caption, picture) };
}

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

/** The corners of the smallest box around points: where contexts can be whose two numbers are averages by themselves. */
export function box(points) {
  const [[left, right], [low, high]] = [0, 1].map((k) => points.map((p) => p[k])).map((xs) => [Math.min(...xs), Math.max(...xs)]);
  return [[left, low], [right, low], [right, high], [left, high]];
}

/** The smallest of …, 0.1, 0.2, 0.3, 0.5, 1, … that is at least x. */
export function tidy(x) {
  const power = 10 ** Math.floor(Math.log10(Math.max(x, 1e-6)));
  return power * [1, 2, 3, 5, 10].find((step) => step * power >= x * (1 - 1e-9));
}

/** From zero, or from a round number below, to a round number above. */
function axis(S, atStart, k) {
  const all = [...S.values, ...S.context, ...atStart.values].map((point) => point[k]).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  return { low: low < 0 ? -tidy(-low) : 0, high: tidy(Math.max(0, ...all)) };
}

/**
 * Draw the plane anew: a few dozen elements, cheap enough for every frame. Heads of two columns have one each, of which this is
 * one; of two heads with one column each it holds both, and with the hull of the values the box that they reach.
 */
export function drawPlane(all, allAtStart, asking, chosen) {
  const head = columnsOfHead(all, "values") === 2 ? chosen : null;
  const [S, atStart] = [stagesOf(all, head), { values: allAtStart.values.map((line) => line.slice(2 * head, 2 * head + 2)) }];
  const [x, y] = [axis(S, atStart, 0), axis(S, atStart, 1)];
  const { width, height, left, right, top, bottom } = SIZE;
  const px = (v) => left + ((v - x.low) / (x.high - x.low)) * (width - left - right);
  const py = (v) => height - bottom - ((v - y.low) / (y.high - y.low)) * (height - top - bottom);
  const at = (point) => [px(point[0]), py(point[1])];
  const tick = (v) => String(Number(v.toPrecision(3))).replace("-", "−");
  const names = labels(all, "values").cols.slice(2 * head);
  const written = [ // kind, x, y, anchor, text
    ["axis", px(x.high), py(0) + 26, "end", names[0]], ["axis", px(0) - 6, 11, "start", names[1]],
    ...[x.low, x.high].filter(Boolean).map((v) => ["tick", px(v), py(0) + 13, "middle", tick(v)]),
    ...[y.low, y.high].filter(Boolean).map((v) => ["tick", px(0) - 5, py(v) + 4, "end", tick(v)]),
    ...(head === null ? [] : [["axis", width - 4, 11, "end", headNames(all)[head]]]),
  ];
  const shown = S.tokens.map((_, i) => i)
    .filter((i) => S.context[i].every(Number.isFinite) && (asking === null || i === asking));
  const contexts = together(shown.map((i) => at(S.context[i])), shown.map((i) => S.tokens[i]), "mixed");
  const isSaid = ({ point, words }) => contexts.some((other) => other.words === words && isNear(other.point, point));
  const values = together(S.values.map(at), S.tokens, "value").map((group) => (isSaid(group) ? { ...group, words: "" } : group));
  const taken = [...values, ...contexts].map(({ point: [px, py] }) => [px - 5, py - 5, px + 5, py + 5]);
  const axes = written.map(([, x, y, anchor, said]) => boxOf(x, y, anchor, wide(said)));
  const longest = (groups) => [...groups].sort((a, b) => b.words.length - a.words.length); // hardest to place
  const first = asking === null ? longest([...values, ...contexts]) : [...contexts, ...longest(values)];
  const named = new Map(first.map((group) => [group, label(group, taken, axes)]));
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(S, asking) },
    svg("path", { class: "axes", d: `M${px(x.low)} ${py(0)}H${px(x.high)}M${px(0)} ${py(y.low)}V${py(y.high)}` }),
    ...written.map(([kind, x, y, anchor, said]) => svg("text", { class: kind, x, y, "text-anchor": anchor }, said)),
    ...(all.heads > 1 && head === null ? [svg("polygon", { class: "box", points: box(S.values).map((p) => at(p).join()).join(" ") })] : []),
    svg("polygon", { class: "hull", points: hull(S.values).map((p) => at(p).join()).join(" ") }),
    ...[...values, ...contexts].map((group) => mark(group, named.get(group))));
}

const isNear = ([x, y], [otherX, otherY]) => Math.hypot(x - otherX, y - otherY) < 9;

/** Points that (nearly) coincide on the screen share a label. */
function together(points, words, kind) {
  const groups = [];
  points.forEach((point, i) => {
    const near = groups.find((group) => isNear(group.point, point));
    if (near) near.words.push(words[i]);
    groups.push({ point, kind, words: near ? [] : [words[i]] });
  });
  return groups.map(({ words, ...group }) => ({ ...group, words: words.join(", ") }));
}

const FURTHER = [[0, -9], [0, 17], [1, -19], [-1, -19], [1, 26], [-1, 26]]; // where beside it there is no room

/** A label for a point, where it covers no point, no other label and best nothing at the axes; null where there is no such place. */
function label({ point: [px, py], kind, words }, taken, axes) {
  const letters = [...words]; // no half of a pair
  const text = letters.length > 18 ? `${letters.slice(0, 17).join("")}…` : words;
  const across = wide(text) * (kind === "mixed" ? 1.1 : 1);
  const beside = [[1, -6], [-1, -6], [1, 13], [-1, 13]];
  if (kind === "mixed") beside.reverse(); // contexts to the left and below where there is room
  const places = [...beside, ...FURTHER].map(([side, down]) => {
    const [x, y, anchor] = [px + 7 * side, py + down, { [-1]: "end", 0: "middle", 1: "start" }[side]];
    return { x, y, anchor, box: boxOf(x, y, anchor, across) };
  });
  const isFree = ({ box }) => box[0] >= 0 && box[2] <= SIZE.width && box[1] >= 0 && box[3] <= SIZE.height && !covers(box, taken);
  const free = text ? places.filter(isFree) : [];
  const place = free.find(({ box }) => !covers(box, axes)) ?? free[0];
  if (!place) return null;
  taken.push(place.box);
  return svg("text", { x: place.x, y: place.y, "text-anchor": place.anchor }, text);
}
/** About how wide a text is: narrow letters, wide ones such as those of Chinese, others. */
const wide = (text) => sum([...text].map((letter) => ("fijlrt,. ".includes(letter) ? 5 : /[mwA-Z]|\p{Lo}/u.test(letter) ? 11.6 : 7.5)));
const covers = (box, others) => others.some((other) => overlap(box, other));

/** Left, top, right and bottom of a text. */
function boxOf(x, y, anchor, across) {
  const left = x - across * { start: 0, middle: 0.5, end: 1 }[anchor];
  return [left, y - 10, left + across, y + 3];
}
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

function mark({ point: [cx, cy], kind, words }, text) {
  const title = svg("title", {}, words);
  const square = { x: cx - 4, y: cy - 4, width: 8, height: 8 };
  const shape = kind === "value" ? svg("rect", square, title) : svg("circle", { cx, cy, r: 5 }, title);
  return svg("g", { class: kind }, shape, ...(text ? [text] : []));
}

function describe(S, asking) {
  const rows = asking === null ? S.tokens.map((_, i) => i) : [asking];
  const place = (i) => S.context[i].map((v) => number(v)).join(", ");
  const points = rows.map((i) => fill(TEXT.plane.point, { word: S.tokens[i], place: place(i) }));
  return fill(TEXT.plane.described, { points: points.join(TEXT.plane.between) });
}
