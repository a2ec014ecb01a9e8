// The choices a chapter teaches, the buttons, and the question before the answer.

import { SKIPPED, UNSURE, isLocked, question } from "./questions.js";
import { focusable, make } from "./matrices.js";
import { INPUTS, setRow, stretched } from "./store.js";

const button = (action, text, title, onclick) =>
  focusable(make("button", { type: "button", title, data: { action }, onclick }, text), `action-${action}`);

/** A labelled menu. `options` is a list of [value, text, disabled]. */
function menu(name, label, options, value, onchange) {
  const select = focusable(make("select", { data: { control: name } }), `control-${name}`);
  for (const [key, text, disabled] of options)
    select.append(make("option", { value: key, disabled: Boolean(disabled), selected: key === value }, text));
  select.onchange = () => onchange(select.value);
  return make("label", {}, label, " ", select);
}

/** A labelled slider of its own; `oninput(x)` while it moves. */
function knob(name, label, { min, max, step, value }, store, oninput) {
  const slider = make("input", { type: "range", min, max, step, value, data: { control: name } });
  const shown = make("output", {}, String(value));
  slider.oninput = () => {
    shown.textContent = slider.value;
    store.grasp();
    oninput(Number(slider.value));
    store.releaseSoon();
  };
  return make("label", {}, label, " ", focusable(slider, `control-${name}`), " ", shown);
}

/** Draw which attention weights to keep: true with probability 1 - p. */
const drawKeep = (S) => S.tokens.map(() => S.tokens.map(() => Math.random() >= S.dropout_p));

const CONTROLS = {
  query(S, store) {
    const words = S.tokens.map((token, i) => [String(i), token]);
    const value = S.query === null ? "all" : String(S.query);
    return menu("query", "the word that asks", [...words, ["all", "all words"]], value, (picked) =>
      store.edit({ query: picked === "all" ? null : Number(picked) }));
  },
  divide_by(S, store) {
    const options = [["1", "1 (nothing)"], ["sqrt_d_k", "√d_k"], ["sqrt_d_in", "√d_in"], ["sqrt_n_tokens", "√n_tokens"]];
    return menu("divide_by", "divide scores by", options, S.divide_by, (divide_by) => store.edit({ divide_by }));
  },
  mask(S, store) {
    const plain = S.normalise === "softmax" && S.axis === "rows";
    const options = [["none", "none"], ["causal", "−∞ before softmax"], ["zero_scores", "0 in the scores"],
      ["zero_weights", "0 after softmax"], ["zero_weights_renormalised", "0 after softmax, renormalised"]]
      .map(([value, text]) => [value, text, value !== "none" && !plain]);
    return menu("mask", "hide the future with", options, S.mask, (mask) => store.edit({ mask }));
  },
  normalise(S, store) {
    const options = [["softmax", "softmax"], ["sum", "dividing by the sum", S.mask !== "none"]];
    return menu("normalise", "shares by", options, S.normalise, (normalise) => store.edit({ normalise }));
  },
  axis(S, store) {
    const options = [["rows", "each row"], ["columns", "each column", S.mask !== "none"]];
    return menu("axis", "normalise along", options, S.axis, (axis) => store.edit({ axis }));
  },
  dropout(S, store) {
    const draw = (dropout_p) => store.change({ dropout_p, dropout_keep: dropout_p > 0 ? drawKeep({ ...S, dropout_p }) : null });
    const slider = knob("dropout", "dropout", { min: 0, max: 0.9, step: 0.1, value: S.dropout_p }, store, draw);
    const again = () => {
      store.grasp();
      draw(store.state.dropout_p);
      store.release();
    };
    return make("span", { className: "pair" }, slider, button("draw", "draw again", "draw new random zeros", again));
  },
  row(S, store, view) {
    const i = Math.min(view.row ?? S.query ?? 0, S.tokens.length - 1);
    const words = S.tokens.map((token, k) => [String(k), token]);
    const pick = menu("row", "stretch", words, String(i), (picked) => {
      view.row = Number(picked);
      view.redraw();
    });
    const slider = knob("stretch", "by", { min: -3, max: 3, step: 0.1, value: stretchOf(S, i) }, store, (factor) =>
      store.change({ embeddings: setRow(store.state.embeddings, i, stretched(S.start.embeddings[i], factor)) }));
    slider.querySelector("input").setAttribute("aria-label", `stretch ${S.tokens[i]} by`);
    return make("span", { className: "pair" }, pick, slider);
  },
  tie(S, store) {
    const box = focusable(make("input", { type: "checkbox", checked: Boolean(store.tied), data: { control: "tie" } }), "control-tie");
    box.disabled = !S.W_query;
    box.onchange = () => {
      store.tied = box.checked;
      store.edit({ W_key: box.checked ? store.state.W_query : store.state.start.W_key });
    };
    return make("label", {}, box, " W_key follows W_query");
  },
  multiply(S, store) {
    if (!S.W_query) return "";
    return knob("multiply", "W_query ×", { min: 1, max: 20, step: 0.5, value: 1 }, store, (factor) => {
      const W_query = S.start.W_query.map((row) => stretched(row, factor));
      store.change(store.tied ? { W_query, W_key: W_query } : { W_query });
    });
  },
  example(S, store) {
    const names = Object.keys(S.library).map((name) => [name, S.library[name].name]);
    const current = names.find(([name]) => S.library[name].name === S.example)?.[0] ?? names[0]?.[0];
    return menu("example", "example", names, current, (name) => {
      const picked = S.library[name];
      store.tied = false;
      store.edit({ ...freshOptions(S, picked), ...picked, example: picked.name });
    });
  },
  preset(S, store) {
    const names = Object.keys(S.presets);
    const now = names.find((name) => S.tokens.includes(S.presets[name].becomes)) ?? "";
    const options = [["", "as at the start"], ...names.map((name) => [name, name])];
    return menu("preset", "try", options, now, (name) => store.edit(presetInputs(store.state, name)));
  },
};

/** How far a row is stretched from its start, if it is. */
function stretchOf(S, i) {
  const start = S.start.embeddings[i];
  const k = start?.findIndex((x) => x !== 0) ?? -1;
  return k < 0 ? 1 : Math.round((10 * S.embeddings[i][k]) / start[k]) / 10;
}

/** The options that must not outlive the example they were chosen for. */
function freshOptions(S, picked) {
  const inputs = Object.fromEntries(INPUTS.map((name) => [name, picked[name]]));
  const query = S.query !== null && S.query < picked.tokens.length ? S.query : null;
  const edit = S.edit.filter((name) => picked[name]);
  return { start: inputs, query, edit: edit.length ? edit : ["embeddings"], dropout_keep: null, reach: {} };
}

function presetInputs(state, name) {
  const { tokens, embeddings } = state.start;
  const preset = state.presets[name];
  if (!preset) return { tokens, embeddings };
  const i = tokens.indexOf(preset.token);
  return {
    tokens: tokens.map((token, k) => (k === i ? preset.becomes : token)),
    embeddings: setRow(embeddings, i, preset.embedding),
  };
}

/** The bar above the matrices: a chapter's choices, then the buttons. */
export function buildBar(S, store, view) {
  const choices = S.controls.map((name) => CONTROLS[name](S, store, view));
  const buttons = [];
  if (S.step !== null) {
    buttons.push(button("back", "◂ back", "hide the last stage", () => view.step(-1)));
    buttons.push(button("step", "step ▸", "show the next stage (space bar)", () => view.step(1)));
  }
  const large = button("large", "Aa", "large type", () => store.edit({ large: !store.state.large }));
  large.setAttribute("aria-pressed", String(S.large));
  buttons.push(large, button("reset", "reset", "all numbers as at the start", () => reset(store)));
  return make("div", { className: "bar" }, make("span", { className: "choices" }, ...choices),
    make("span", { className: "buttons" }, ...buttons));
}

function reset(store) {
  store.tied = false;
  store.edit({ ...store.state.start, reach: {} });
}

/** The question panel: choices while it is locked, then what was said and what is. */
export function buildQuestion(S, store, view) {
  const asked = question(S);
  if (!asked) return null;
  const panel = make("fieldset", { className: "question", data: { part: "question" } },
    make("legend", {}, make("b", {}, "Before you look: "), asked.ask(S)));
  if (isLocked(S)) panel.append(buildChoices(asked.choices(S), store, view));
  else panel.append(make("p", { data: { part: "verdict" } }, store.verdict));
  return panel;
}

function buildChoices(choices, store, view) {
  const group = `choice-${Math.random()}`;
  const radios = [...choices, { value: UNSURE, text: UNSURE }].map(({ value, text }) => {
    const radio = make("input", { type: "radio", name: group, value, data: { choice: value } });
    radio.onchange = () => (commit.disabled = false);
    return make("label", { className: "choice" }, focusable(radio, `choice-${value}`), " ", text);
  });
  const commit = button("commit", "commit", "say so, then see", () => {
    const said = radios.map((label) => label.firstChild).find((radio) => radio.checked);
    if (said) view.answer(said.value);
  });
  commit.disabled = true;
  const skip = button("skip", "skip", "show the answer (the key s)", () => view.answer(SKIPPED));
  return make("div", { className: "choices" }, ...radios, commit, skip);
}
