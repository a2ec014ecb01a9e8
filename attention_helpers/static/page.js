// mount(root, state, onRest): one explorer in one element, with or without a notebook.

import { TEXT } from "./words/en.js";
import { BUILDS, INPUTS, TABLES, pick, same } from "./options.js";
import { STAGES, compute, isEach, isInput, isSquare, visibleStages } from "./engine.js";
import { canShare } from "./heads.js";
import { SKIPPED, isLocked, question, questionText, verdict } from "./questions.js";
import { createStore, within } from "./store.js";
import { focusable, make } from "./dom.js";
import { buildTable } from "./matrices.js";
import { buildPlane } from "./plane.js";
import { buildLast } from "./last.js";
import { buildLoss, showsLoss, wish } from "./learn.js";
import { announce, paint } from "./paint.js";
import { fit, watchWidth } from "./fit.js";
import { listenToRows, move, select, tabStop } from "./explain.js";
import { buildBar, buildQuestion } from "./controls.js";
import { listen } from "./hands.js";
import { HOME } from "./links.js";

// Put an explorer into `root` and return a function that removes it. `state` is plain JSON (see options.js)
// or a store that other views share. `onRest` hears what changed each time the hand rests. `home` is what a link to it begins with.
export function mount(root, state, onRest = null, home = HOME) {
  const store = state.listen ? state : createStore(state);
  const view = createView(root, store, home);
  const leaving = new AbortController();
  listenToRows(view, leaving.signal);
  const leave = enliven(view, leaving, "explorer", onRest, () => announce(view));
  const unwatch = watchWidth(view);
  return () => {
    unwatch();
    leave();
  };
}

/** Let a view answer, hear its store and hands, and take the focus. Returns a function that removes it. */
export function enliven(view, leaving, key, onRest, announce) {
  const { root, store } = view;
  Object.assign(view, {
    locked: () => isLocked(view.S),
    answer(said) {
      store.edit({ predicted: said });
      return true;
    },
    skip: () => view.answer(SKIPPED),
  });
  const stops = [store.onRest(onRest ?? (() => {})), store.listen(view.redraw), store.onRest(announce)];
  listen(view, leaving.signal);
  focusable(root, key).tabIndex = -1; // a click anywhere inside takes the keys
  view.redraw();
  return () => {
    leaving.abort();
    store.interrupt?.();
    if (store.hand) store.release();
    for (const stop of stops) stop();
    for (const name of ["tabindex", "data-key", "data-lm-suppress-shortcuts"]) root.removeAttribute(name);
    root.replaceChildren();
  };
}

/** What the modules of one explorer share: what is shown, what stands in the page, what hands may do. */
function createView(root, store, home) {
  const view = {
    root, store, home,
    S: null, atStart: null, visible: [], steps: 0, // the stages now, those of the start values, the names of those shown, how many can be
    parts: {}, tables: [], painters: [], // what stands in the page: by name, the tables in order, and what keeps the controls true
    built: null, width: null, // what it was built from, and the width it was fitted to
    selected: null, lit: [], captioned: null, // the explained cell { stage, i, j, head }, the cells marked with it, the pair in the caption
    hovered: null, pinned: null, // the row whose label is under the pointer, and the one that was clicked
    touched: 0, // the word whose number moved or was clicked last
    row: null, said: null, // the row that the control `row` stretches, the choice that is ticked and not yet committed
    later: null, pause: 0, // what comes after the paint, and how long it waits
    redraw: () => redraw(view),
    message: (text) => (view.parts.message.textContent = text),
    select: (at) => select(view, at),
    move: (at, key) => move(view, at, key),
    step: (by) => step(view, by),
    wish: (at) => wish(view, at),
  };
  return view;
}

function redraw(view) {
  const { store, root, built } = view;
  const S = compute(store.state);
  const moved = view.S ? S.embeddings.findIndex((line, i) => !same(line, view.S.embeddings[i])) : -1;
  if (moved >= 0) view.touched = moved;
  const visible = shownStages(S);
  judge(store, S);
  root.classList.toggle("lost", store.lost);
  Object.assign(view, { S, visible, steps: computedOf(S).length });
  const signature = JSON.stringify([pick(S, BUILDS), view.row, TABLES.map((name) => S[name]?.[0].length), visible, showsLoss(S)]);
  if (signature !== built?.signature || S.start !== built.start) {
    const given = { ...S, ...pick(S.start, INPUTS), dropout_keep: null };
    const atStart = compute({ ...given, heads: canShare(given, S.heads) ? S.heads : 1 });
    Object.assign(view, { built: { signature, start: S.start }, atStart, hovered: null, pinned: null, lit: [], captioned: null });
    build(view);
    return fit(view);
  }
  paint(view);
}

const computedOf = (S) => visibleStages(S).filter((name) => !isInput(name));

/** The stages on the page: no computed one before a question is answered, and so many as there were steps. */
function shownStages(S) {
  const computed = isLocked(S) ? [] : computedOf(S).slice(0, S.step ?? undefined);
  return visibleStages(S).filter((name) => isInput(name) || computed.includes(name));
}

/** Say once, when an answer is given, whether it was right; later moves leave that alone, and `since` says what they make of it. */
export function judge(store, S) {
  const answer = JSON.stringify([S.predict, S.predicted]);
  if (S.predicted === null || !question(S)) store.verdict = null;
  else if (store.verdict?.answer !== answer)
    store.verdict = { answer, question: questionText(S), result: question(S).result(S), ...verdict(S, S.predicted) };
}

function step({ store, S }, by) {
  if (store.state.step === null || isLocked(S)) return false;
  store.edit({ step: within(0, computedOf(S).length, store.state.step + by) });
  return true;
}

function build(view) {
  const { S, root, visible } = view;
  const { activeElement } = root.ownerDocument;
  const focus = root !== activeElement && root.contains(activeElement) ? activeElement.dataset.key : null;
  const parts = (view.parts = buildParts(S, visible));
  const headsOfTable = (name) => (isEach(S, name) ? S.each.map((_, head) => head) : [null]);
  view.tables = visible.flatMap((name) => headsOfTable(name).map((head) => buildTable(S, name, visible, head)));
  root.classList.add("attention-explorer");
  root.classList.toggle("large", S.large);
  root.dataset.locked = String(isLocked(S));
  const top = make("div", { className: "top" }, ...[buildQuestion(view), buildBar(view)].filter(Boolean));
  const sentence = make("div", { className: "sentence" }, parts.explanation, " ", parts.caption);
  const said = make("div", { className: "said" }, parts.lights, parts.summary);
  const foot = isLocked(S) ? [] : [...(parts.last ? [parts.last] : []), make("div", { className: "foot" }, sentence, said)];
  const flow = buildFlow(view);
  paint(view); // writing takes longer once it stands in the page
  root.replaceChildren(top, flow, parts.message, ...foot, parts.announcement, parts.gone);
  // Where the focus was; where that is gone, on the verdict, a button, or the whole: never lost to the notebook.
  const withKey = (key) => root.querySelector(`[data-key="${CSS.escape(key)}"]`);
  const next = focus && [focus, "verdict", "action-step", "action-large"].map(withKey).find(Boolean);
  if (next) (next.disabled ? root : next).focus({ preventScroll: true });
  tabStop(view);
}

/** What stands around the matrices. */
function buildParts(S, visible) {
  const part = (name, more) => make("p", { ...more, data: { part: name } });
  const [result, more] = [make("span"), make("span", { className: "only-heard" })];
  const summary = part("summary");
  summary.append(result, more);
  const masks = S.mask !== "none" || S.controls.includes("mask");
  const matters = { "rows-sum-to-1": true, "inside-values": visible.includes("context"), "no-future": masks };
  return {
    caption: part("caption"), explanation: part("explanation", { id: `explanation-${Math.random()}` }),
    summary, result, more, since: make("span", { data: { part: "since" } }),
    message: part("message", { role: "alert" }),
    announcement: part("announcement", { className: "only-heard", "aria-live": "polite" }),
    lights: make("ul", { className: "lights" }, ...Object.entries(TEXT.lights).map(([light, text]) =>
      make("li", { hidden: !matters[light], data: { light, off: TEXT.light_off } },
        light !== "inside-values" ? text : S.heads > 1 ? TEXT.inside_each : S.W_value ? text : TEXT.inside_words))),
    gone: make("p", { className: "kernel-gone" }, TEXT.kernel_gone),
    ...(showsLoss(S) ? buildLoss() : buildPlane(S, visible)), ...buildLast(S, visible), // one place for both
  };
}

/** The stages of one row under one another, those of several heads side by side: looks like one table; each stage stays one. */
function asOneTable(element, squares, S) {
  element.style.setProperty("--heads", S.heads);
  for (const { style, dataset, classList } of element.children) {
    const k = squares.indexOf(dataset.stage);
    const head = Number(dataset.head ?? 0);
    style.setProperty("--at-row", k + 1);
    style.setProperty("--at-column", head ? head + 2 : "1 / span 2");
    classList.toggle("below", k > 0);
    classList.toggle("further", head > 0);
  }
  return element;
}

/**
 * The matrices. Above, each weight matrix over what it makes, the embeddings to the left; below or beside, the line from
 * scores to context. The order in the page is the order of the stages, for Tab and for who listens.
 */
function buildFlow({ S, visible, tables, parts }) {
  const elements = (name) => tables.filter(({ stage }) => stage === name).map(({ element }) => element);
  const part = (className, names) => make("div", { className }, ...names.flatMap(elements));
  const upper = visible.filter((name) => !STAGES[name].line);
  const product = upper.some((name) => name !== "embeddings");
  const above = part("upper", upper);
  const asks = S.query !== null;
  const squares = visible.filter((name) => asks && isSquare(name));
  const ends = visible.filter((name) => STAGES[name].line && !squares.includes(name));
  const line = asks ? make("div", { className: "line" }, part("stacked", ends)) : part("line", ends);
  if (squares.length) line.prepend(asOneTable(part("one-table", squares), squares, S));
  const projected = upper.filter((name) => isInput(name) && name !== "W_out");
  const corner = upper.includes("embeddings") && projected.length > 1; // is free, over the embeddings
  const figure = parts.loss ?? parts.plane;
  if (figure) (corner ? above : line).append(figure);
  if (asks) above.style.setProperty("--below", S.tokens.length - 1 - S.query);
  return make("div", { className: `flow ${product ? "product" : "beside"}${asks ? " asking" : ""}${S.heads > 1 ? " heads" : ""}` }, above, line);
}
