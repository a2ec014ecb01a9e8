// Hands on the matrices: drag, keys, typing. Each gesture is one edit that can be undone.

import { TEXT } from "./words/en.js";
import { fill } from "./numbers.js";
import { LIMITS } from "./facts.js";
import { INPUTS, pick } from "./options.js";
import { range, setCell, setRow, startOf, stepped, stretched, within } from "./store.js";
import { focusable, make } from "./dom.js";

/**
 * Listen to pointer and keys on everything inside `root`.
 *
 * `view` offers: root, store, S, locked(), select(cell), wish(cell), move(cell, key), message(text), step(by), skip().
 */
export function listen(view, signal) {
  const on = (type, handler) => view.root.addEventListener(type, handler, { signal });
  const drag = dragging(view);
  on("pointerdown", drag.begin);
  on("mousedown", (event) => grabbed(event) && event.preventDefault()); // else the focus goes to the notebook; a tap's comes late
  on("pointermove", drag.move);
  for (const type of ["pointerup", "pointercancel"]) // wherever the pointer is by then
    view.root.ownerDocument.addEventListener(type, drag.end, { signal, capture: true });
  on("input", (event) => slide(view, event));
  // The second click of two, the third of three: WebKit counts a drag that ended just before, too.
  on("click", (event) => event.detail > 1 && !drag.nudged && doubleClick(view, event));
  on("focusin", (event) => choose(view, event));
  on("click", (event) => click(view, event));
  on("keydown", (event) => key(view, event));
}

/** Where an event happened: the cell of a stage, or null. */
function place(event) {
  const td = event.target.closest?.("td[data-col]");
  if (!td) return null;
  const { stage } = td.closest("[data-stage]").dataset;
  const head = td.dataset.head === undefined ? null : Number(td.dataset.head);
  return { td, stage, i: Number(td.dataset.row), j: Number(td.dataset.col), head, editable: td.querySelector("input") !== null };
}

/** Switch a head off, or on again. */
function switchHead(store, head) {
  const { off } = store.state;
  store.edit({ off: off.includes(head) ? off.filter((other) => other !== head) : [...off, head].sort((a, b) => a - b) });
}

function click(view, event) {
  choose(view, event);
  const at = place(event);
  if (at && !at.editable) view.wish(at);
  const button = event.target.closest("button");
  const { action, head } = button?.dataset ?? {};
  if (action === "reset-matrix") resetMatrix(view.store, button.closest("[data-stage]").dataset.stage);
  if (action === "head") switchHead(view.store, Number(head));
}

function choose(view, event) {
  const at = place(event);
  if (at && (!at.editable || view.S.slopes)) view.select(at);
}

// ---- moving one number by steps ----

const anchors = new WeakMap(); // per store: the value a row of steps started from

/** What steps of this cell count from, so that there and back again is the start value. */
function anchorOf(store, { stage, i, j }) {
  const name = `${stage}-${i}-${j}`;
  const now = store.state[stage][i][j];
  const known = anchors.get(store);
  return known?.name === name && known.now === now ? known : { name, base: now, k: 0 };
}

/** Move a cell to k steps from its anchor, within the slider's range. */
function moveTo(store, at, anchor, k) {
  const { step, min, max } = range(store.state, at.stage);
  const first = Math.floor((min - anchor.base) / step + 1e-9);
  const last = Math.ceil((max - anchor.base) / step - 1e-9);
  const reached = within(first, last, k);
  const now = within(min, max, stepped(anchor.base, reached, step));
  anchors.set(store, { ...anchor, k: reached, now });
  if (now !== store.state[at.stage][at.i][at.j]) setNumber(store, at, now);
}

function setNumber(store, { stage, i, j }, value) {
  store.change({ [stage]: setCell(store.state[stage], i, j, value) });
}

// ---- pointer ----

/** What a press takes hold of: the cell of a number or the handle of a row, or null. */
function grabbed(event) {
  const handle = event.target.closest?.("[data-handle]");
  const at = handle ? null : place(event);
  if (event.button !== 0 || event.target.closest?.(".typing") || !(handle || at?.editable)) return null;
  return { at, held: handle ?? at.td };
}

function dragging(view) {
  const { store } = view;
  let drag = null; // what is held, where the pointer went down, how it all was then
  let nudges = [false, false]; // whether the last two presses moved anything

  const begin = (event) => {
    const found = event.isPrimary && grabbed(event);
    if (!found) return;
    const { at, held } = found;
    (at?.td ?? held.closest("tr")).querySelector("input").focus({ preventScroll: true });
    held.setPointerCapture(event.pointerId);
    store.grasp();
    const { embeddings } = store.state;
    const was = at ? { [at.stage]: store.state[at.stage] } : { embeddings };
    drag = { at, i: Number(held.closest("tr").dataset.row), anchor: at && anchorOf(store, at), was, x: event.clientX, steps: 0 };
  };

  const move = (event) => {
    if (!drag || !event.isPrimary) return;
    if (!(event.buttons & 1)) return end(event); // the release was lost, as in a context menu
    const steps = Math.round(event.clientX - drag.x);
    if (steps === drag.steps) return;
    if (drag.at) moveTo(store, drag.at, drag.anchor, drag.anchor.k + steps);
    else store.change({ embeddings: setRow(drag.was.embeddings, drag.i, stretched(drag.was.embeddings[drag.i], 1 + steps / 100)) });
    drag.steps = steps;
  };

  /** A touch that turns out to be a scroll is cancelled: then nothing has happened. */
  const end = (event) => {
    if (!drag || !event.isPrimary) return;
    if (event.type === "pointercancel" && drag.steps) store.change(drag.was);
    nudges = [nudges[1], drag.steps !== 0];
    drag = null;
    store.release();
  };
  return {
    begin, move, end,
    /** Two quick nudges of one number are no double click. */
    get nudged() {
      return nudges.includes(true);
    },
  };
}

/** The native slider moved by itself, as a screen reader moves it. */
function slide({ store }, event) {
  const at = place(event);
  if (!at || event.target.type !== "range") return;
  setNumber(store, at, Number(event.target.value));
  store.releaseSoon();
}

function doubleClick(view, event) {
  const handle = event.target.closest?.("[data-handle]");
  const at = place(event);
  if (handle) resetRow(view.store, "embeddings", Number(handle.closest("tr").dataset.row));
  else if (at?.editable && !event.target.closest(".typing")) type(view, at);
}

function resetRow(store, stage, i) {
  const row = startOf(store.state, stage)?.[i];
  if (row) store.edit({ [stage]: setRow(store.state[stage], i, row) });
}

/** Numbers of one matrix as at the start; with the embeddings go their words. One of another size takes all with it. */
function resetMatrix(store, stage) {
  const { start } = store.state;
  if (!startOf(store.state, stage)) store.edit({ ...pick(start, INPUTS), tied: false });
  else store.edit(stage === "embeddings" ? { tokens: start.tokens, embeddings: start.embeddings } : { [stage]: start[stage], tied: false });
}

// ---- typing a number ----

function type({ store, message }, at, first = null) {
  const slider = at.td.querySelector("input[type=range]");
  const field = focusable(make("input", {
    type: "text", inputMode: "decimal", className: "typing", autocomplete: "off",
    "aria-label": slider.getAttribute("aria-label"), value: first ?? store.state[at.stage][at.i][at.j],
  }), `${at.stage}-${at.i}-${at.j}-typing`);
  let open = true;
  store.grasp();

  const close = (value) => {
    open = false;
    field.remove();
    message("");
    if (value !== null) setNumber(store, at, value);
    store.release();
  };
  field.addEventListener("keydown", (event) => {
    const value = event.key === "Enter" ? parse(field.value) : null;
    if (event.shiftKey || !["Enter", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (typeof value === "string") return message(value);
    close(value);
    slider.focus({ preventScroll: true });
  });
  field.addEventListener("blur", () => {
    const value = parse(field.value);
    if (open) close(typeof value === "string" ? null : value);
  });
  at.td.append(field);
  field.focus({ preventScroll: true });
  if (first === null) field.select();
}

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i;

/** The number that a text says, or a sentence that says what is wrong with it. */
function parse(text) {
  const said = text.trim().replace("−", "-");
  const value = Number(said.replace(",", "."));
  if (!NUMBER.test(said)) return fill(TEXT.refused.no_number, { said: said.slice(0, 20) });
  if (Math.abs(value) > LIMITS.number) return fill(TEXT.refused.too_large, { said: said.slice(0, 20) });
  return value + 0; // no −0
}

// ---- keys ----

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
const TYPED = "input[type=text], textarea";
const ARROWS = ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"];

/** Act on a key, or hand it on to the notebook. */
function key(view, event) {
  if (acts(view, event)) {
    event.preventDefault();
    event.stopPropagation();
  } else {
    handOn(view, event);
  }
}

function acts(view, event) {
  const { store } = view;
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  const { target } = event;
  if (target.matches(TYPED)) return false;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return undo(store, event); // never the notebook's
  if (modified) return false;
  if (event.key === "Escape") return leave(view, event);
  if (event.key === " " && !target.matches("button, select, input[type=radio], input[type=checkbox]")) return view.step(event.shiftKey ? -1 : 1);
  if (event.key === "s" && view.locked() && !target.matches("select")) return view.skip();
  if (event.key === "Enter" && !event.shiftKey && target.matches("input[type=radio]")) return view.said !== null && view.answer(view.said);
  const at = place(event);
  if (!at) return false;
  if (!at.editable && event.key === "Enter" && !event.shiftKey) return view.wish(at);
  if (!at.editable) return ARROWS.includes(event.key) && view.move(at, event.key);
  if (event.key === "Enter" && !event.shiftKey) type(view, at);
  else if (/^[-0-9.,]$/.test(event.key)) type(view, at, event.key);
  else if (["Delete", "Backspace"].includes(event.key)) putBack(store, at, event.shiftKey);
  else return steps(store, at, event);
  return true;
}

function undo(store, event) {
  if (!event.shiftKey) store.undo();
  return true;
}

/** One number, or its row, as at the start. */
function putBack(store, at, wholeRow) {
  const x = startOf(store.state, at.stage)?.[at.i][at.j];
  if (wholeRow) return resetRow(store, at.stage, at.i);
  if (x !== undefined) store.edit({ [at.stage]: setCell(store.state[at.stage], at.i, at.j, x) });
}

function steps(store, at, event) {
  const { min, max } = range(store.state, at.stage);
  const end = { Home: min, End: max }[event.key];
  const k = STEPS[event.key] * (event.shiftKey ? 10 : 1);
  if (end === undefined && !k) return false;
  const anchor = anchorOf(store, at);
  if (end === undefined) moveTo(store, at, anchor, anchor.k + k);
  else setNumber(store, at, end);
  store.releaseSoon();
  return true;
}

/** Escape gives the keys back to the notebook. */
function leave(view, event) {
  handOn(view, event);
  event.target.blur();
  view.root.parentElement?.closest("[tabindex]")?.focus({ preventScroll: true });
  return true;
}

/**
 * The attribute that protects the keys in here also hides Ctrl+S and Shift+Enter from
 * JupyterLab. Send it a copy from outside; stop the real one only if the copy was taken.
 */
function handOn({ root, store }, event) {
  const shortcut = event.ctrlKey || event.metaKey || event.key === "Escape" || (event.shiftKey && event.key === "Enter");
  const editing = event.target.matches(TYPED) && "acvxyz".includes(event.key.toLowerCase());
  if (!shortcut || editing || !root.parentElement) return;
  if (store.hand) store.release(); // a notebook saved now holds these numbers
  const { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } = event;
  const copy = new KeyboardEvent("keydown", {
    key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true, composed: true,
  });
  event.stopPropagation();
  root.parentElement.dispatchEvent(copy);
  if (copy.defaultPrevented) event.preventDefault();
}
