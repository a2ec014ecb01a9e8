// Hands on the matrices: drag, keys, typing. Each gesture is one edit that can be undone.

import { LIMIT, range, setCell, setRow, stepped, stretched } from "./store.js";
import { focusable, make } from "./matrices.js";

/**
 * Listen to pointer and keys on everything inside `root`.
 *
 * `view` offers: root, store, select(cell), move(cell, key), message(text), step(by), skip().
 */
export function listen(view, signal) {
  const on = (type, handler) => view.root.addEventListener(type, handler, { signal });
  const drag = dragging(view);
  on("pointerdown", drag.begin);
  on("pointermove", drag.move);
  on("pointerup", drag.end);
  on("pointercancel", drag.end);
  on("input", (event) => slide(view, event));
  on("dblclick", (event) => doubleClick(view, event));
  on("focusin", (event) => choose(view, event));
  on("click", (event) => choose(view, event));
  on("keydown", (event) => key(view, event));
}

/** Where an event happened: the cell of a stage, or null. */
function place(event) {
  const td = event.target.closest?.("td[data-col]");
  if (!td) return null;
  const { stage } = td.closest("[data-stage]").dataset;
  return { td, stage, i: Number(td.dataset.row), j: Number(td.dataset.col), editable: td.querySelector("input") !== null };
}

function choose(view, event) {
  const at = place(event);
  if (at && !at.editable) view.select(at);
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
  const within = Math.min(last, Math.max(first, k));
  const now = Math.min(max, Math.max(min, stepped(anchor.base, within, step)));
  anchors.set(store, { ...anchor, k: within, now });
  if (now !== store.state[at.stage][at.i][at.j]) setNumber(store, at, now);
}

function setNumber(store, { stage, i, j }, value) {
  store.change({ [stage]: setCell(store.state[stage], i, j, value), ...tied(store, stage, i, j, value) });
}

/** While W_key is tied to W_query, a change of one changes the other. */
function tied(store, stage, i, j, value) {
  if (!store.tied || stage !== "W_query") return {};
  return { W_key: setCell(store.state.W_query, i, j, value) };
}

// ---- pointer ----

function dragging(view) {
  const { store } = view;
  let drag = null; // what is held, where the pointer went down, what it has moved so far

  const begin = (event) => {
    const handle = event.target.closest?.("[data-handle]");
    const at = handle ? null : place(event);
    if (event.button !== 0 || event.target.closest?.(".typing") || !(handle || at?.editable)) return;
    const held = handle ?? at.td;
    if (at) at.td.querySelector("input").focus({ preventScroll: true });
    held.setPointerCapture(event.pointerId);
    const i = Number(held.closest("tr").dataset.row);
    const anchor = at && anchorOf(store, at);
    drag = { at, i, anchor, row: store.state.embeddings[i], x: event.clientX, steps: 0 };
  };

  const move = (event) => {
    const steps = drag ? Math.round(event.clientX - drag.x) : 0;
    if (!drag || steps === drag.steps) return;
    store.grasp();
    if (drag.at) moveTo(store, drag.at, drag.anchor, drag.anchor.k + steps);
    else store.change({ embeddings: setRow(store.state.embeddings, drag.i, stretched(drag.row, 1 + steps / 100)) });
    drag.steps = steps;
  };

  const end = () => {
    drag = null;
    if (store.hand) store.release();
  };
  return { begin, move, end };
}

/** The native slider moved by itself, as a screen reader moves it. */
function slide({ store }, event) {
  const at = place(event);
  if (!at || event.target.type !== "range") return;
  store.grasp();
  setNumber(store, at, Number(event.target.value));
  store.releaseSoon();
}

function doubleClick(view, event) {
  const { store } = view;
  const handle = event.target.closest?.("[data-handle]");
  const at = place(event);
  if (handle) {
    const i = Number(handle.closest("tr").dataset.row);
    store.edit({ embeddings: setRow(store.state.embeddings, i, store.state.start.embeddings[i]) });
  } else if (at?.editable && !event.target.closest(".typing")) {
    type(view, at);
  }
}

// ---- typing a number ----

function type(view, at, first = null) {
  const { store } = view;
  const slider = at.td.querySelector("input[type=range]");
  const field = focusable(make("input", {
    type: "text", inputMode: "decimal", className: "typing", autocomplete: "off",
    "aria-label": slider.getAttribute("aria-label"), value: first ?? store.state[at.stage][at.i][at.j],
  }), `${at.stage}-${at.i}-${at.j}-typing`);
  let open = true;

  const close = () => {
    open = false;
    field.remove();
    view.message("");
    slider.focus({ preventScroll: true });
  };
  const commit = () => {
    const value = parse(field.value);
    if (typeof value === "string") return view.message(value);
    close();
    store.grasp();
    setNumber(store, at, value);
    store.release();
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) commit();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  field.addEventListener("blur", () => {
    if (!open) return;
    if (typeof parse(field.value) === "string") close();
    else commit();
  });
  at.td.append(field);
  field.focus({ preventScroll: true });
  if (first === null) field.select();
}

/** The number that a text says, or a sentence that says what is wrong with it. */
function parse(text) {
  const value = Number(text.trim().replace("−", "-").replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value)) return `“${text.trim().slice(0, 20)}” is not a number; type one like 0.5 or -2.`;
  if (Math.abs(value) > LIMIT) return `${text.trim().slice(0, 20)} is too large; numbers here stay within a million.`;
  return value;
}

// ---- keys ----

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
const ARROWS = ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"];

/** Act on a key, or hand it on to the notebook. */
function key(view, event) {
  if (acts(view, event)) {
    event.preventDefault();
    event.stopPropagation();
  } else {
    handOn(view.root, event);
  }
}

function acts(view, event) {
  const { store } = view;
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  const { target } = event;
  if (target.matches("input[type=text]")) return false;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z") return store.undo();
  if (modified) return false;
  if (event.key === "Escape") return leave(view, event);
  if (event.key === " " && !target.matches("button, select, input[type=radio], input[type=checkbox]")) return view.step(1);
  if (event.key === "s" && view.locked()) return view.skip();
  const at = place(event);
  if (!at) return false;
  if (!at.editable) return ARROWS.includes(event.key) && view.move(at, event.key);
  if (event.key === "Enter" && !event.shiftKey) type(view, at);
  else if (/^[-0-9.,]$/.test(event.key)) type(view, at, event.key);
  else return steps(store, at, event);
  return true;
}

function steps(store, at, event) {
  const { min, max } = range(store.state, at.stage);
  const end = { Home: min, End: max }[event.key];
  const k = STEPS[event.key] * (event.shiftKey ? 10 : 1);
  if (end === undefined && !k) return false;
  store.grasp();
  const anchor = anchorOf(store, at);
  if (end === undefined) moveTo(store, at, anchor, anchor.k + k);
  else setNumber(store, at, end);
  store.releaseSoon();
  return true;
}

/** Escape gives the keys back to the notebook. */
function leave(view, event) {
  handOn(view.root, event);
  event.target.blur();
  view.root.parentElement?.closest("[tabindex]")?.focus({ preventScroll: true });
  return true;
}

/**
 * The attribute that protects the keys in here also hides Ctrl+S and Shift+Enter from
 * JupyterLab. Send it a copy from outside; stop the real one only if the copy was taken.
 */
function handOn(root, event) {
  const shortcut = event.ctrlKey || event.metaKey || event.key === "Escape" || (event.shiftKey && event.key === "Enter");
  const editing = event.target.matches("input[type=text]") && "acvxyz".includes(event.key.toLowerCase());
  if (!shortcut || editing || !root.parentElement) return;
  const { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } = event;
  const copy = new KeyboardEvent("keydown", {
    key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true, composed: true,
  });
  event.stopPropagation();
  root.parentElement.dispatchEvent(copy);
  if (copy.defaultPrevented) event.preventDefault();
}
