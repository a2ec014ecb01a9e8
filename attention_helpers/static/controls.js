// The choices a chapter teaches, the buttons, and the question before the answer.

import { SKIPPED, UNSURE, isLocked, question } from "./questions.js";
import { focusable, make, write } from "./matrices.js";
import { INPUTS, setRow, startOf, stretched } from "./store.js";

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

/** A labelled slider of its own, which shows `of(S)` and calls `oninput(x)` while it is moved. */
function knob(name, label, { min, max, step }, of, { store, painters }, oninput) {
  const slider = make("input", { type: "range", min, max, step, data: { control: name } });
  const shown = make("span", { className: "shown" });
  slider.oninput = () => {
    oninput(Number(slider.value));
    store.releaseSoon();
  };
  painters.push((S) => {
    const x = of(S);
    if (Number(slider.value) !== x) slider.value = x ?? 1;
    write(shown, String(x ?? "mixed"));
  });
  return make("span", { className: "knob" }, make("label", {}, label, " ", focusable(slider, `control-${name}`)), " ", shown);
}

/** Draw which attention weights to keep: true with probability 1 - p. */
const drawKeep = (S, p) => S.tokens.map(() => S.tokens.map(() => Math.random() >= p));

/** How far numbers are stretched from the start, to one decimal; null if not all alike. */
function stretchOf(now, start) {
  const [x, from] = [now.flat(), start?.flat() ?? []];
  const k = from.findIndex((v) => v !== 0);
  const factor = k < 0 ? 1 : Math.round((10 * x[k]) / from[k]) / 10;
  const alike = x.length === from.length && x.every((v, c) => Math.abs(v - factor * from[c]) <= 1e-6 * Math.abs(v));
  return alike ? factor : null;
}

const CONTROLS = {
  query(S, { store }) {
    const words = S.tokens.map((token, i) => [String(i), token]);
    const value = S.query === null ? "all" : String(S.query);
    const all = ["all", "all words", S.predict === "largest_weight"]; // that question needs one word
    return menu("query", "the word that asks", [...words, all], value, (picked) =>
      store.edit({ query: picked === "all" ? null : Number(picked) }));
  },
  divide_by(S, { store }) {
    const options = [["1", "1 (nothing)"], ["sqrt_d_k", "√d_k"], ["sqrt_d_in", "√d_in"], ["sqrt_n_tokens", "√n_tokens"]];
    return menu("divide_by", "divide scores by", options, S.divide_by, (divide_by) => store.edit({ divide_by }));
  },
  mask(S, { store }) {
    const plain = S.normalise === "softmax" && S.axis === "rows";
    const options = [["none", "none"], ["causal", "−∞ before softmax"], ["zero_scores", "0 in the scores"],
      ["zero_weights", "0 after softmax"], ["zero_weights_renormalised", "0 after softmax, renormalised"]]
      .map(([value, text]) => [value, text, value !== "none" && !plain]);
    return menu("mask", "hide the future with", options, S.mask, (mask) => store.edit({ mask }));
  },
  normalise(S, { store }) {
    const options = [["softmax", "softmax"], ["sum", "dividing by the sum", S.mask !== "none"]];
    return menu("normalise", "shares by", options, S.normalise, (normalise) => store.edit({ normalise }));
  },
  axis(S, { store }) {
    const options = [["rows", "each row"], ["columns", "each column", S.mask !== "none"]];
    return menu("axis", "normalise along", options, S.axis, (axis) => store.edit({ axis }));
  },
  dropout(S, view) {
    const { store } = view;
    const draw = (p) => ({ dropout_p: p, dropout_keep: p > 0 ? drawKeep(store.state, p) : null });
    const slider = knob("dropout", "dropout", { min: 0, max: 0.9, step: 0.1 }, (S) => S.dropout_p, view, (p) => store.change(draw(p)));
    const again = button("draw", "draw again", "draw new random zeros", () => store.edit(draw(store.state.dropout_p)));
    return make("span", { className: "pair" }, slider, again);
  },
  row(S, view) {
    const { store } = view;
    const i = Math.min(view.row ?? S.query ?? 0, S.tokens.length - 1);
    const words = S.tokens.map((token, k) => [String(k), token]);
    const pick = menu("row", "stretch", words, String(i), (picked) => {
      view.row = Number(picked);
      view.redraw();
    });
    const started = () => (startOf(store.state, "embeddings") ?? S.embeddings)[i];
    const slider = knob("stretch", "by", { min: -3, max: 3, step: 0.1 }, (S) => stretchOf(S.embeddings[i], started()), view, (factor) =>
      store.change({ embeddings: setRow(store.state.embeddings, i, stretched(started(), factor)) }));
    slider.querySelector("input").setAttribute("aria-label", `stretch ${S.tokens[i]} by`);
    return make("span", { className: "pair" }, pick, slider);
  },
  tie(S, { store, painters }) {
    const box = focusable(make("input", { type: "checkbox", data: { control: "tie" } }), "control-tie");
    box.disabled = !S.W_query;
    box.onchange = () => store.edit({ tied: box.checked, ...(box.checked ? {} : { W_key: startOf(store.state, "W_key") ?? store.state.W_key }) });
    painters.push((S) => (box.checked = S.tied));
    return make("label", {}, box, " W_key follows W_query");
  },
  multiply(S, view) {
    if (!startOf(S, "W_query")) return "";
    const { store } = view;
    return knob("multiply", "W_query ×", { min: 1, max: 20, step: 0.5 }, (S) => stretchOf(S.W_query, S.start.W_query), view, (factor) =>
      store.change({ W_query: store.state.start.W_query.map((row) => stretched(row, factor)) }));
  },
  example(S, { store }) {
    const names = Object.keys(S.library).map((name) => [name, S.library[name].example]);
    const current = names.find(([, title]) => title === S.example)?.[0];
    return menu("example", "example", names, current, (name) => {
      const picked = store.state.library[name];
      const start = Object.fromEntries(INPUTS.map((input) => [input, picked[input]]));
      store.edit({ ...picked, start, tied: false, dropout_keep: null });
    });
  },
  preset(S, { store }) {
    const names = Object.keys(S.presets).filter((name) => presetFits(S, S.presets[name]));
    const now = names.find((name) => S.tokens.includes(S.presets[name].becomes)) ?? "";
    const options = [["", "as at the start"], ...names.map((name) => [name, name])];
    return menu("preset", "try", options, now, (name) => store.edit(presetInputs(store.state, name)));
  },
};

/** Whether a preset still fits the sentence it changes, which Python may have replaced. */
function presetFits(S, { token, becomes, embedding }) {
  const { tokens } = S.start;
  const known = tokens.includes(token) && (becomes === token || !tokens.includes(becomes));
  return known && startOf(S, "embeddings")?.[0].length === embedding.length;
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
export function buildBar(S, view) {
  const { store } = view;
  view.painters = [];
  const choices = S.controls.map((name) => CONTROLS[name](S, view));
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
  store.edit({ ...store.state.start, tied: false });
}

/** The question panel: choices while it is locked (a click into it takes the keys), then what was said and what is. */
export function buildQuestion(S, view) {
  const asked = question(S);
  if (!asked) return null;
  const panel = make("fieldset", { className: "question", data: { part: "question" } },
    make("legend", {}, make("b", {}, "Before you look: "), isLocked(S) ? view.isolated(asked.ask(S)) : view.store.verdict.question));
  if (isLocked(S)) focusable(Object.assign(panel, { tabIndex: -1 }), "question").append(buildChoices(asked.choices(S), view));
  else panel.append(focusable(make("p", { tabIndex: -1, data: { part: "verdict" } }, view.store.verdict.text), "verdict"));
  return panel;
}

function buildChoices(choices, view) {
  const group = `choice-${Math.random()}`;
  const radios = [...choices, { value: UNSURE, text: UNSURE }].map(({ value, text }) => {
    const radio = make("input", { type: "radio", name: group, value, checked: value === view.said, data: { choice: value } });
    radio.onchange = () => {
      view.said = value;
      commit.disabled = false;
    };
    return make("label", { className: "choice" }, focusable(radio, `choice-${value}`), " ", text);
  });
  const commit = button("commit", "commit", "say so, then see", () => view.answer(view.said));
  commit.disabled = !radios.some((label) => label.firstChild.checked);
  const skip = button("skip", "skip", "show the answer (the key s)", () => view.answer(SKIPPED));
  return make("div", { className: "choices" }, ...radios, commit, skip);
}
