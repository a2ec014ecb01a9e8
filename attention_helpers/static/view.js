// mount(root, state, onRest): one explorer in one element, with or without a notebook.

import { buildBar, buildQuestion } from "./controls.js";
import { compute, explain, labels, lights, shownAs, visibleStages, STAGES } from "./engine.js";
import { listen } from "./hands.js";
import { buildStage, colourScales, make, rowsOf, write } from "./matrices.js";
import { drawPlane, hasPlane } from "./plane.js";
import { SKIPPED, isLocked, question, verdict } from "./questions.js";
import { createStore } from "./store.js";
import { largest, one, result, summary, two } from "./words.js";

const isInput = (stage) => STAGES[stage].run === null;

const STAGES_IN_LINE = ["scores", "scaled_scores", "masked_scores", "weights", "context"];
const SCORES = STAGES_IN_LINE.slice(0, 3);

/** Left to right: matrices that belong together stay together; an operator begins a group. */
const groupsOf = (S, visible) => [
  ["", ["embeddings"]],
  ["×", ["W_query", "W_key", "W_value"]],
  [visible.some((name) => name.startsWith("W_")) ? "=" : "→", ["queries", "keys", "values"]],
  ...(S.query === null ? [["→", SCORES], ["→", ["weights", "context"]]] : [["→", [...SCORES, "weights", "context"]]]),
];

const RIGHT_TO_LEFT = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;
const STEERS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text in which words written from right to left turn nothing but themselves. */
const isolated = (S, text) =>
  S.tokens.filter((token) => RIGHT_TO_LEFT.test(token))
    .reduce((all, token) => all.replaceAll(token, () => `\u2068${token.replace(STEERS, "")}\u2069`), text);

const LIGHTS = {
  "rows-sum-to-1": "every row sums to 1",
  "inside-values": "contexts lie within the values",
  "no-future": "each word sees only its past",
};

/**
 * Put an explorer into `root` and return a function that removes it.
 *
 * `state` is plain JSON (see options.js) or a store that other views share. `onRest` hears
 * what changed each time the hand rests.
 */
export function mount(root, state, onRest = null) {
  const store = state.listen ? state : createStore(state);
  const leaving = new AbortController();
  const stopResting = onRest ? store.onRest(onRest) : () => {};
  const view = createView(root, store);
  const stopListening = store.listen(view.redraw);
  const stopAnnouncing = store.onRest(view.announce);
  listen(view, leaving.signal);
  view.listenToRows(leaving.signal);
  view.redraw();
  return () => {
    leaving.abort();
    if (store.hand) store.release();
    for (const stop of [stopResting, stopListening, stopAnnouncing]) stop();
    root.replaceChildren();
  };
}

function createView(root, store) {
  let S = null; // the stages now
  let atStart = null; // the stages of the start values
  let startOf = null; // the start values they are of
  let visible = [];
  let built = null; // signature of what stands in the page
  let stages = {}; // name -> { element, paint, cells }
  let selected = null; // the explained cell
  let hovered = null; // row under the pointer
  let pinned = null; // row that was clicked
  let lit = []; // cells that are marked as sources
  let captioned = null; // the pair of words in the caption
  let later = null; // the timer of what comes after the paint
  let pause = 0; // and how long it waits
  const parts = {};

  const asking = () => hovered ?? pinned ?? S.query;

  // ---- building ----

  function signature() {
    const { tokens, columns, query, edit, controls, predict, predicted, step, large, mask, normalise, axis, presets, example, divide_by } = store.state;
    const shapes = Object.keys(STAGES).map((name) => store.state[name]?.[0].length);
    return JSON.stringify([tokens, columns, query, edit, controls, predict, predicted, step, large, mask, normalise, axis,
      Object.keys(presets), example, divide_by, view.row, shapes, visible]);
  }

  function build() {
    const focus = root.contains(root.ownerDocument.activeElement) ? root.ownerDocument.activeElement.dataset.key : null;
    const locked = isLocked(S);
    stages = Object.fromEntries(visible.map((name) => [name, buildStage(S, name)]));
    for (const name of ["explanation", "summary", "message", "caption"]) parts[name] = make("p", { data: { part: name } });
    parts.announcement = make("p", { className: "only-heard", "aria-live": "polite", data: { part: "announcement" } });
    parts.message.setAttribute("role", "alert");
    parts.explanation.id = `explanation-${Math.random()}`;
    parts.picture = make("div", { className: "picture" });
    parts.plane = hasPlane(S, visible) ? make("figure", { data: { part: "plane" } }, make("figcaption", {}, make("b", {}, "plane"),
      make("span", { className: "formula" }, "squares: values · dots: contexts")), parts.picture) : null;
    parts.lights = buildLights();
    root.classList.add("attention-explorer");
    root.classList.toggle("large", S.large);
    root.classList.toggle("long", Math.max(S.tokens.length, S.embeddings[0].length, S.queries[0].length) > 8);
    root.dataset.locked = String(locked);
    root.replaceChildren(...[buildQuestion(S, view), buildBar(S, view), buildGroups(), parts.message,
      ...(locked ? [] : [make("div", { className: "foot" }, parts.caption, parts.explanation, parts.summary), parts.lights]), parts.announcement,
      make("p", { className: "kernel-gone" }, "No kernel: the explorer goes on; explorer.attention needs Run All.")].filter(Boolean));
    if (focus) focusAgain(focus);
    if (selected) tabStop(selected);
    lit = [];
    captioned = null;
  }

  /** Where the focus was; where that is gone, on the verdict or a button: never lost to the notebook. */
  function focusAgain(key) {
    const places = [key, "verdict", "action-step", "action-large"];
    const found = places.map((name) => root.querySelector(`[data-key="${CSS.escape(name)}"]`)).find(Boolean);
    found.focus({ preventScroll: true });
  }

  function buildGroups() {
    const groups = groupsOf(S, visible).map(([operator, names]) => [operator, names.filter((name) => stages[name])])
      .filter(([, names]) => names.length)
      .map(([operator, names], k) => buildGroup(k ? operator : "", names));
    if (parts.plane) groups.push(parts.plane);
    return make("div", { className: "flow" }, ...groups);
  }

  /** One group; inside the scores an arrow leads to each next stage. */
  function buildGroup(operator, names) {
    const arrow = (sign) => make("span", { className: "operator", "aria-hidden": "true" }, sign);
    const members = names.map((name, k) => {
      const lead = k === 0 ? operator : STAGES_IN_LINE.includes(name) ? "→" : "";
      return make("div", { className: "member" }, ...(lead ? [arrow(lead)] : []), stages[name].element);
    });
    const group = make("div", { className: "group", data: { group: names[0] } }, ...members);
    group.classList.toggle("stacked", S.query !== null && STAGES_IN_LINE.includes(names[0]));
    return group;
  }

  function buildLights() {
    const list = make("ul", { className: "lights" });
    for (const [name, text] of Object.entries(LIGHTS)) list.append(make("li", { data: { light: name } }, text));
    list.lastChild.hidden = S.mask === "none" && !S.controls.includes("mask");
    return list;
  }

  // ---- painting ----

  function shownStages() {
    const all = visibleStages(S);
    if (isLocked(S)) return all.filter(isInput);
    if (S.step === null) return all;
    const computed = all.filter((name) => !isInput(name));
    return all.filter((name) => isInput(name) || computed.indexOf(name) < S.step);
  }

  function redraw() {
    S = compute(store.state);
    root.classList.toggle("lost", store.lost);
    visible = shownStages();
    judge();
    const now = signature();
    if (now !== built || S.start !== startOf) {
      startOf = S.start;
      atStart = compute({ ...S, ...S.start, dropout_keep: null });
      pinned = hovered = null;
      build();
      built = now;
    }
    for (const paint of view.painters) paint(S);
    const scales = colourScales(S, atStart, visible);
    for (const name of visible) stages[name].paint(S, scales[name], visible);
    if (parts.plane) parts.picture.replaceChildren(drawPlane(S, atStart, asking()));
    if (root.dataset.locked === "false") paintWords();
    afterPaint();
  }

  /** Say once, when an answer is given, whether it was right; later moves leave that alone. */
  function judge() {
    const answer = JSON.stringify([S.predict, S.predicted]);
    if (S.predicted === null || !question(S)) store.verdict = null;
    else if (store.verdict?.answer !== answer)
      store.verdict = { answer, question: isolated(S, question(S).ask(S)), text: isolated(S, verdict(S, S.predicted)) };
  }

  function paintWords() {
    if (selected && (!visible.includes(selected.stage) || !cellAt(selected))) selected = null;
    explainSelected();
    dimRows();
    const at = captionCell();
    if (captioned !== `${at.i} ${at.j}`) {
      captioned = `${at.i} ${at.j}`;
      parts.caption.replaceChildren("row ", make("i", {}, S.tokens[at.i]), " asks, column ", make("i", {}, S.tokens[at.j]), " is looked at");
    }
    parts.caption.hidden = !visible.includes("scores") && !visible.includes("weights");
  }

  /** The pair of words the caption names: the selected one, else the asking word and its largest share. */
  function captionCell() {
    const asked = selected && ["queries", ...STAGES_IN_LINE].includes(selected.stage);
    if (asked && [...SCORES, "weights"].includes(selected.stage)) return selected;
    const i = asked ? selected.i : (asking() ?? 0);
    return { i, j: S.weights[i].some(Number.isNaN) ? i : largest(S.weights[i])[0] };
  }

  function explainSelected() {
    for (const td of lit) {
      td.classList.remove("selected", "one", "two");
      td.removeAttribute("aria-describedby");
    }
    lit = [];
    if (!selected) {
      write(parts.explanation, visible.some((name) => !isInput(name)) ? "Click any computed number to see where it comes from." : "");
      return;
    }
    const { parts: sentence, from } = explain(S, selected.stage, selected.i, selected.j);
    parts.explanation.replaceChildren(...(sentence ?? sayInput(selected)).map((part) => (part.role ? make("span", { className: part.role }, part.text) : part)));
    from.forEach((source, k) => light(source, k === 0 ? "one" : "two"));
    const { td } = cellAt(selected);
    td.setAttribute("aria-describedby", parts.explanation.id);
    mark(td, "selected");
  }

  function sayInput({ stage, i, j }) {
    const names = labels(S, stage);
    return [`${stage}, row `, one(names.rows[i]), ", column ", two(names.cols[j]), ": ", result(S[stage][i][j])];
  }

  function light({ stage, row, col }, role) {
    const name = shownAs(S, stage, visible);
    if (!name) return;
    for (const { td, i, j } of stages[name].cells)
      if ((row === null || row === i) && (col === null || col === j)) mark(td, role);
  }

  function mark(td, name) {
    td.classList.add(name);
    lit.push(td);
  }

  const cellAt = ({ stage, i, j }) => stages[stage]?.cells.find((cell) => cell.i === i && cell.j === j);

  /** The one cell of a computed matrix that Tab stops at. */
  function tabStop({ stage, i, j }) {
    for (const { td, ...at } of stages[stage]?.cells ?? []) td.tabIndex = at.i === i && at.j === j ? 0 : -1;
  }

  function dimRows() {
    const row = hovered ?? pinned;
    for (const name of visible)
      if (!isInput(name) && rowsOf(S, name).length > 1)
        for (const tr of stages[name].element.querySelectorAll("tbody tr")) tr.classList.toggle("dim", row !== null && tr.dataset.row !== String(row));
  }

  /** What may come a moment after the numbers: lights and the result in words, a fifth of the time at most. */
  function afterPaint() {
    if (later !== null) return;
    later = requestAnimationFrame(() => {
      later = setTimeout(() => {
        later = null;
        const begun = performance.now();
        if (root.dataset.locked === "false" && parts.lights.isConnected) paintLights();
        pause = 4 * (performance.now() - begun);
      }, pause);
    });
  }

  function paintLights() {
    const weights = visible.includes("weights");
    const on = lights(S, rowsOf(S, "weights"));
    for (const li of parts.lights.children)
      if (li.dataset.on !== String(on[li.dataset.light])) li.dataset.on = on[li.dataset.light];
    parts.lights.hidden = !weights;
    write(parts.summary, weights ? isolated(S, summary(S, asking())) : "");
  }

  // ---- what hands may do ----

  const view = {
    root,
    store,
    redraw,
    row: null, // the row that the control `row` stretches
    said: null, // the choice that is ticked and not yet committed
    painters: [], // what keeps the controls true
    locked: () => isLocked(S),
    isolated: (text) => isolated(S, text),
    message: (text) => (parts.message.textContent = text),
    announce() {
      if (root.dataset.locked === "true" || !parts.lights.isConnected) return;
      paintLights();
      write(parts.announcement, parts.summary.textContent);
    },
    select({ stage, i, j }) {
      if (selected && selected.stage === stage && selected.i === i && selected.j === j) return;
      selected = { stage, i, j };
      tabStop(selected);
      paintWords();
    },
    move({ stage, i, j }, key) {
      const di = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
      const dj = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
      cellAt({ stage, i: i + di, j: j + dj })?.td.focus({ preventScroll: false });
      return true;
    },
    step(by) {
      if (store.state.step === null || isLocked(S)) return false;
      const most = visibleStages(S).filter((name) => !isInput(name)).length;
      store.edit({ step: Math.min(most, Math.max(0, store.state.step + by)) });
      return true;
    },
    answer: (said) => store.edit({ predicted: said }),
    skip() {
      view.answer(SKIPPED);
      return true;
    },
    /** Hovering a row's label makes it the asking row; a click keeps it so. */
    listenToRows(signal) {
      const rowOf = (event) => {
        const th = event.target.closest?.("th[scope=row]");
        const stage = th?.closest("[data-stage]")?.dataset.stage;
        const row = th?.parentElement.dataset.row;
        return stage && !isInput(stage) && row !== undefined ? Number(row) : null;
      };
      const focus = (row) => {
        if (row === hovered) return;
        hovered = row;
        redraw();
      };
      root.addEventListener("pointerover", (event) => focus(rowOf(event)), { signal });
      root.addEventListener("pointerleave", () => focus(null), { signal });
      root.addEventListener("click", (event) => {
        const row = rowOf(event);
        if (row === null) return;
        pinned = pinned === row ? null : row;
        hovered = null;
        redraw();
      }, { signal });
    },
  };
  return view;
}
