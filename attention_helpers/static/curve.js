// The losses of a way as a curve.

import { TEXT } from "./words/en.js";
import { fill, lossText } from "./numbers.js";
import { CURVE } from "./facts.js";
import { svg } from "./dom.js";
import { tidy } from "./plane.js";

const BOX = { width: 250, height: 92, left: 34, right: 10, top: 8, bottom: 18 };

/** Draw losses step by step. One that jumps is drawn off the scale, so that the others keep theirs. */
export function drawCurve(losses) {
  const { width, height, left, right, top, bottom } = BOX;
  const most = CURVE.jump * Math.max(losses[0], 0.5);
  const high = tidy(Math.max(0.1, ...losses.filter((x) => x <= most)));
  const long = tidy(Math.max(10, losses.length - 1));
  const px = (k) => left + (k / long) * (width - left - right);
  const py = (x) => (x > high ? 4 : top + (1 - x / high) * (height - top - bottom));
  const text = (x, y, anchor, said) => svg("text", { class: "tick", x, y, "text-anchor": anchor }, said);
  const points = losses.map((x, k) => [px(k), py(x), x]);
  const marked = points.length > CURVE.dots ? points.slice(-1) : points;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": inWords(losses) },
    svg("path", { class: "axes", d: `M${left} ${top}V${py(0)}H${width - right}` }),
    text(left - 5, top + 5, "end", String(high)), text(left - 5, py(0) + 3, "end", "0"),
    text(left, height - 4, "middle", "0"), text(width - right, height - 4, "end", fill(TEXT.learning.steps, { n: long })),
    svg("polyline", { class: "way", points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ") }),
    ...marked.map(([cx, cy, x]) => (x > high ? svg("path", { class: "off", d: `M${cx - 4} 6L${cx} 0L${cx + 4} 6Z` }) : svg("circle", { cx, cy, r: 2.5 }))));
}

function inWords(losses) {
  const [first, last] = [losses[0], losses.at(-1)].map(lossText);
  return fill(TEXT.learning.described, { first, last, n: losses.length - 1 });
}
