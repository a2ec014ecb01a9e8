// The laboratory of d_k: random queries, six keys each, and what dividing their scores does to a row of attention weights.
// One table under a slider; it shares questions, hands and store with the explorer.

import { TEXT } from "./words/en.js";
import { fill, number, percent } from "./numbers.js";
import { DRAWN } from "./facts.js";
import { DIVIDE_BY, LEAST_D_K, MOST_D_K, averageRows } from "./rows.js";
import { isLocked } from "./questions.js";
import { createStore, within } from "./store.js";
import { focusable, make, write } from "./dom.js";
import { enliven, judge } from "./page.js";
import { buildQuestion, button } from "./controls.js";

const LAB = TEXT.laboratory;
const SEEDS = 2 ** 32;

// ---- the questions ----

/** The effective words of a divisor where d_k is least and where it is most. */
const fromTo = (S, name) => [LEAST_D_K, MOST_D_K].map((d_k) => averageRows({ ...S, d_k })[name].effective);
const saidOf = (S, name) => {
  const [from, to] = fromTo(S, name).map((x) => number(x, 1));
  return { from, to, divisor: LAB.ways[name] };
};

const ASKED = {
  effective_words: {
    right(S) {
      const [from, to] = fromTo(S, 1);
      return [to > 1.2 * from ? "more" : to < from / 1.2 ? "fewer" : "as_many"];
    },
    result: (S) => fill(LAB.choices.changed, { ...saidOf(S, 1), answer: LAB.choices.effective_words[ASKED.effective_words.right(S)[0]] }),
    why: (S, said) => (ASKED.effective_words.right(S).includes(said) ? "" : LAB.corrected[said]),
  },
  cure: {
    right(S) {
      const change = ([from, to]) => Math.abs(to - from);
      const names = Object.keys(DIVIDE_BY);
      return [names.reduce((best, name) => (change(fromTo(S, name)) < change(fromTo(S, best)) ? name : best))];
    },
    result: (S) => fill(LAB.choices.levels, saidOf(S, ASKED.cure.right(S)[0])),
    why: (S, said) => (ASKED.cure.right(S).includes(said) ? "" : fill(LAB.corrected[said], saidOf(S, said))),
  },
};
for (const [name, it] of Object.entries(ASKED)) {
  const choices = () => Object.entries(LAB.choices[name]).map(([value, text]) => ({ value, text }));
  Object.assign(it, { fits: () => true, text: LAB.asked[name], choices });
}

// ---- the page ----

const FIRST = {
  d_k: LEAST_D_K, rows: DRAWN.rows, seed: DRAWN.seed, divisors: Object.keys(DIVIDE_BY), predict: null, predicted: null, large: false,
  start: { d_k: LEAST_D_K, seed: DRAWN.seed },
};
/** What the questions and their panel read of a state. */
const questioned = (state) => ({ ...state, tokens: [], edit: [], goal: null, questions: ASKED });

const power = (d_k) => Math.log2(d_k);
const isDrawable = (d_k) => Number.isInteger(d_k) && d_k >= LEAST_D_K && d_k <= MOST_D_K;
const asItIs = (state) => state;

/** A whole state from a partial one, such as an address brings. */
function wholeDraw(state) {
  const whole = { ...FIRST, ...state };
  if (!isDrawable(whole.d_k)) throw new RangeError(`d_k is ${whole.d_k}`);
  return whole;
}

/** One store for all views of a laboratory: see widget.js. */
export const LABORATORY = {
  synced: Object.keys(FIRST),
  defaults: FIRST,
  isDecided: () => false,
  createStore: (given) => createStore(given, {
    complete: wholeDraw, settled: asItIs, rested: asItIs, undoable: ["d_k", "seed"],
  }),
  mount: mountLaboratory,
};

/** Put a laboratory into `root` and return a function that removes it, like `mount` in page.js. */
export function mountLaboratory(root, state, onRest = null) {
  const store = state.listen ? state : LABORATORY.createStore(state);
  const view = {
    root, store, S: null, said: null, parts: {}, rows: [], found: {}, shape: null,
    redraw: () => paintLaboratory(view),
    message: (text) => write(view.parts.message, text),
    select() {}, move: () => false, step: () => false,
  };
  buildLaboratory(view);
  const leave = enliven(view, new AbortController(), "laboratory", onRest, () => announceLaboratory(view));
  return () => {
    leave();
    root.removeAttribute("style");
  };
}

function buildLaboratory(view) {
  const { root, store } = view;
  const part = (name, more) => make("p", { ...more, data: { part: name } });
  const d_k = buildLength(view);
  const again = button("draw_rows", () => store.edit({ seed: Math.floor(Math.random() * SEEDS) }));
  const large = button("large", () => store.edit({ large: !store.state.large }));
  const reset = button("reset", () => store.edit(store.state.start));
  const buttons = make("span", { className: "buttons" }, again, large, reset);
  const bar = make("div", { className: "bar" }, make("span", { className: "choices" }, d_k.element), buttons);
  view.parts = {
    d_k, large, top: make("div", { className: "top" }, bar), bar, table: make("div", { className: "scroll" }),
    message: part("message", { role: "alert" }), explanation: part("explanation"),
    announcement: part("announcement", { className: "only-heard", "aria-live": "polite" }),
  };
  const { top, table, message, explanation, announcement } = view.parts;
  const gone = make("p", { className: "kernel-gone" }, LAB.kernel_gone);
  root.classList.add("scale-laboratory");
  root.replaceChildren(top, table, message, explanation, announcement, gone);
}

const STEP_KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3, Home: -Infinity, End: Infinity };

/** The next power of two in a direction; a number that was typed may stand between two. */
function nextPower(d_k, by) {
  const from = by > 0 ? Math.floor(power(d_k)) : Math.ceil(power(d_k));
  return 2 ** within(power(LEAST_D_K), power(MOST_D_K), from + by);
}

/** The slider of d_k, in powers of two, and a field to type another length. */
function buildLength({ store, message }) {
  const [min, max] = [LEAST_D_K, MOST_D_K].map(power);
  const slider = focusable(make("input", { type: "range", min, max, step: 1, data: { control: "d_k" } }), "control-d_k");
  const field = focusable(make("input", {
    type: "text", inputMode: "numeric", autocomplete: "off", maxLength: 20, "aria-label": LAB.type_d_k, data: { control: "d_k-typed" },
  }), "control-d_k-typed");
  const move = (d_k) => {
    store.change({ d_k });
    store.releaseSoon();
  };
  slider.addEventListener("input", () => move(2 ** Number(slider.value)));
  slider.addEventListener("keydown", (event) => {
    const by = STEP_KEYS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(nextPower(store.state.d_k, by));
  });
  const typed = () => Number(field.value.trim() || NaN);
  const take = () => {
    message("");
    if (typed() !== store.state.d_k && isDrawable(typed())) store.edit({ d_k: typed() });
    field.value = store.state.d_k;
  };
  field.addEventListener("keydown", (event) => {
    if (event.shiftKey || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const places = { said: field.value.trim().slice(0, 20), least: LEAST_D_K, most: MOST_D_K };
    if (event.key === "Enter" && !isDrawable(typed())) return message(fill(LAB.refused, places));
    if (event.key === "Escape") field.value = store.state.d_k;
    take();
    slider.focus({ preventScroll: true });
  });
  field.addEventListener("blur", take);
  return {
    element: make("span", { className: "knob" }, make("label", {}, LAB.d_k, " ", slider), " ", field),
    paint(d_k) {
      slider.value = power(d_k);
      slider.setAttribute("aria-valuetext", d_k);
      if (field.getRootNode().activeElement !== field) field.value = d_k;
    },
  };
}

/** The table of divisors; each number with a bar of its share. */
function buildRows(names, count) {
  const head = (text, more) => make("th", { scope: "col", ...more }, text);
  const rows = names.map((name) => {
    const bars = LAB.ranks.map((_, rank) => {
      const [fillIn, shown] = [make("i"), make("span")];
      const cell = make("td", { data: { rank } }, make("span", { className: "column", "aria-hidden": "true" }, fillIn), shown);
      return { cell, fillIn, shown };
    });
    const [effective, frozen] = ["effective", "frozen"].map((what) => make("td", { data: { [what]: "" } }));
    const row = make("tr", { data: { divisor: name } }, make("th", { scope: "row" }, LAB.ways[name]),
      ...bars.map(({ cell }) => cell), effective, frozen);
    return { name, row, bars, effective, frozen };
  });
  const heads = [make("td"), ...LAB.ranks.map((rank) => head(rank)), head(LAB.effective), head(LAB.frozen)];
  const table = make("table", {}, make("caption", {}, fill(LAB.caption, { rows: count })), make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows.map(({ row }) => row)));
  return { table, rows };
}

/** The divisors on the page: none that the open question asks about. */
function shownDivisors(S) {
  const hidden = isLocked(S) ? DRAWN.hides[S.predict] : [];
  return S.divisors.filter((name) => !hidden.includes(name));
}

function paintLaboratory(view) {
  const { root, store, parts } = view;
  const S = (view.S = questioned(store.state));
  judge(store, S);
  root.classList.toggle("lost", store.lost);
  root.classList.toggle("large", S.large);
  root.dataset.locked = String(isLocked(S));
  const names = shownDivisors(S);
  const shape = JSON.stringify([names, S.rows, S.predict, S.predicted]);
  if (shape !== view.shape) rebuild(view, names);
  view.shape = shape;
  parts.d_k.paint(S.d_k);
  parts.large.setAttribute("aria-pressed", String(S.large));
  view.found = names.length ? averageRows(S) : {};
  for (const { name, bars, effective, frozen } of view.rows) {
    const way = view.found[name];
    bars.forEach(({ cell, fillIn, shown }, rank) => {
      cell.dataset.value = way.weights[rank];
      fillIn.style.height = `${100 * way.weights[rank]}%`;
      write(shown, number(way.weights[rank]));
    });
    effective.dataset.effective = way.effective;
    write(effective, number(way.effective, 1));
    frozen.dataset.frozen = way.frozen;
    write(frozen, frozenShare(way));
  }
  write(parts.explanation, names.length ? LAB.explained : "");
}

const frozenShare = ({ frozen }) => percent(frozen, Math.abs(100 * frozen - Math.round(100 * frozen)) < 1e-9 ? 0 : 1);

/** Say the table once the hand rests. */
function announceLaboratory({ S, rows, found, parts }) {
  const each = rows.map(({ name }) => fill(LAB.said_row, {
    divisor: LAB.ways[name], words: number(found[name].effective, 1), frozen: frozenShare(found[name]),
  }));
  write(parts.announcement, [fill(LAB.drawn, S), ...each].join(" "));
}

/** Lay out what a question hides or shows; the focus that was in it goes to the verdict. */
function rebuild(view, names) {
  const { root, parts, S } = view;
  const inside = parts.top.querySelector(".question")?.contains(root.getRootNode().activeElement);
  parts.top.replaceChildren(...[buildQuestion(view), parts.bar].filter(Boolean));
  const { table, rows } = buildRows(names, S.rows);
  parts.table.replaceChildren(...(rows.length ? [table] : []));
  view.rows = rows;
  root.style.setProperty("--rows", S.divisors.length);
  if (inside && !isLocked(S)) (root.querySelector("[data-part=verdict]") ?? root).focus({ preventScroll: true });
}
