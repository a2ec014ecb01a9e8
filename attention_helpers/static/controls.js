// The choices a chapter teaches, the buttons, and the question before the answer.

import { TEXT } from "./words/en.js";
import { fill, parted } from "./numbers.js";
import { LIMITS } from "./facts.js";
import { INPUTS, pick, startOver } from "./options.js";
import { MASKS, overwritesNothing } from "./masks.js";
import { canShare } from "./heads.js";
import { SKIPPED, UNSURE, isLocked, longestSince, needsQuery, question, questionText } from "./questions.js";
import { setRow, startOf, stretched } from "./store.js";
import { wishedIn } from "./learn.js";
import { learn, oneStep, pause } from "./walk.js";
import { focusable, make, write } from "./dom.js";
import { buildMenu } from "./menu.js";

export function button(action, onclick, more = {}) {
  const [text, title] = TEXT.buttons[action];
  return focusable(make("button", { type: "button", title, data: { action }, onclick, ...more }, text), `action-${action}`);
}

/** A labelled menu. `options` is a list of [value, text, disabled]. */
function menu(name, options, value, onchange) {
  const items = options.map(([key, text, disabled]) =>
    make("option", { value: key, disabled: Boolean(disabled), selected: key === value }, text));
  const select = make("select", { onchange: () => onchange(select.value), data: { control: name } }, ...items);
  return make("label", {}, TEXT.controls[name], " ", focusable(select, `control-${name}`));
}

/** A menu of what one option may be. `texts` has an entry for each value; not all may be free to take. */
const menuOf = (name, texts, isFree = () => true) => (S, { store }) => {
  const options = Object.entries(texts).map(([value, text]) => [value, text, !isFree(S, value)]);
  return menu(name, options, S[name], (value) => store.edit({ [name]: value }));
};

/** A menu of the numbers that one option may be. */
const menuOfNumbers = (name, numbersOf) => (S, { store }) =>
  menu(name, numbersOf(S).map((x) => [String(x), String(x)]), String(S[name]), (picked) => store.edit({ [name]: Number(picked) }));

/** A labelled slider of its own, which shows `of(S)` and calls `oninput(x)` while it is moved. */
function knob(name, { min, max, step }, of, { store, painters }, oninput) {
  const slider = make("input", { type: "range", min, max, step, data: { control: name } });
  const shown = make("span", { className: "shown" });
  slider.oninput = () => {
    oninput(Number(slider.value));
    store.releaseSoon();
  };
  painters.push((S) => {
    const x = of(S);
    if (Number(slider.value) !== x) slider.value = x ?? 1;
    write(shown, String(x ?? TEXT.options.mixed));
  });
  return make("span", { className: "knob" }, make("label", {}, TEXT.controls[name], " ", focusable(slider, `control-${name}`)), " ", shown);
}

const paired = (...controls) => make("span", { className: "pair" }, ...controls);
const indexed = (words) => words.map((word, i) => [String(i), word]);

/** How far numbers are stretched from the start, to one decimal; null if not all alike. */
function stretchOf(now, start) {
  const [x, from] = [now.flat(), start?.flat() ?? []];
  const k = from.findIndex((v) => v !== 0);
  const factor = k < 0 ? 1 : Math.round((10 * x[k]) / from[k]) / 10;
  const alike = x.length === from.length && x.every((v, c) => Math.abs(v - factor * from[c]) <= 1e-6 * Math.abs(v));
  return alike ? factor : null;
}

const RATES = [0.1, 0.5, 1, 1.2, 1.5, 2, 5];

export const CONTROLS = {
  query(S, { store }) {
    const options = [...indexed(S.tokens), ["all", TEXT.options.all, needsQuery(S)]];
    return menu("query", options, String(S.query ?? "all"), (picked) => store.edit({ query: picked === "all" ? null : Number(picked) }));
  },
  divide_by: menuOf("divide_by", { ...TEXT.divisors, 1: fill(TEXT.options.nothing, { divisor: TEXT.divisors[1] }) }),
  mask: menuOf("mask", Object.fromEntries(Object.keys(MASKS).map((mask) => [mask, TEXT.masks[mask].name])),
    (S, mask) => overwritesNothing(mask) || (S.normalise === "softmax" && S.axis === "rows")),
  normalise: menuOf("normalise", TEXT.normalise, (S, value) => value === "softmax" || overwritesNothing(S.mask)),
  axis: menuOf("axis", TEXT.axis, (S, value) => value === "rows" || overwritesNothing(S.mask)),
  dropout(S, view) {
    const { store } = view;
    const keep = (p, { tokens }) => tokens.map(() => tokens.map(() => Math.random() >= p));
    const draw = (p) => ({ dropout_p: p, dropout_keep: p > 0 ? keep(p, store.state) : null });
    const slider = knob("dropout", { min: 0, max: 0.9, step: 0.1 }, (S) => S.dropout_p, view, (p) => store.change(draw(p)));
    return paired(slider, button("draw", () => store.edit(draw(store.state.dropout_p))));
  },
  row(S, view) {
    const { store } = view;
    const i = Math.min(view.row ?? S.query ?? 0, S.tokens.length - 1);
    const started = () => (startOf(store.state, "embeddings") ?? S.embeddings)[i];
    const stretch = (factor) => store.change({ embeddings: setRow(store.state.embeddings, i, stretched(started(), factor)) });
    const slider = knob("stretch", { min: -3, max: 3, step: 0.1 }, (S) => stretchOf(S.embeddings[i], started()), view, stretch);
    slider.querySelector("input").setAttribute("aria-label", fill(TEXT.table.stretch, { word: S.tokens[i] }));
    const word = menu("row", indexed(S.tokens), String(i), (picked) => {
      view.row = Number(picked);
      view.redraw();
    });
    return paired(word, slider);
  },
  tie(S, { store, painters }) {
    const box = focusable(make("input", { type: "checkbox", disabled: !S.W_query, data: { control: "tie" } }), "control-tie");
    const untied = () => ({ tied: false, W_key: startOf(store.state, "W_key") ?? store.state.W_key });
    box.onchange = () => store.edit(box.checked ? { tied: true } : untied());
    painters.push((S) => (box.checked = S.tied));
    return make("label", {}, box, " ", TEXT.controls.tie);
  },
  multiply(S, view) {
    if (!startOf(S, "W_query")) return "";
    const { store } = view;
    const multiply = (factor) => store.change({ W_query: store.state.start.W_query.map((row) => stretched(row, factor)) });
    return knob("multiply", { min: 1, max: 20, step: 0.5 }, (S) => stretchOf(S.W_query, S.start.W_query), view, multiply);
  },
  example(S, { store }) {
    const names = Object.keys(S.library).map((name) => [name, S.library[name].example]);
    const current = names.find(([, title]) => title === S.example)?.[0];
    const load = (picked) => store.edit({ ...picked, start: { ...S.start, ...pick(picked, INPUTS) }, tied: false, dropout_keep: null });
    return menu("example", names, current, (name) => load(store.state.library[name]));
  },
  goal(S, { store }) {
    const clear = button("no-goal", () => store.edit({ goal: null }));
    clear.dataset.control = "goal";
    return paired(make("span", { className: "hint" }, TEXT.hints[wishedIn(S)[0]]), clear);
  },
  rate: menuOfNumbers("rate", (S) => [...new Set([...RATES, S.rate])].sort((a, b) => a - b)),
  learn(S, { store, painters, root }) {
    const step = button("learn-step", () => oneStep(store));
    const run = button("learn", () => (store.running ? pause(store) : learn(store, root.ownerDocument.defaultView)));
    run.classList.add("run");
    run.dataset.control = "learn";
    painters.push((S) => {
      for (const it of [step, run]) it.disabled = S.goal === null || isLocked(S);
      const action = store.running ? "pause" : "learn";
      if (run.dataset.action === action) return;
      run.dataset.action = action;
      [run.textContent, run.title] = TEXT.buttons[action];
    });
    return paired(step, run);
  },
  heads: menuOfNumbers("heads", (S) => Array.from({ length: LIMITS.heads }, (_, k) => k + 1).filter((heads) => canShare(S, heads))),
  preset(S, { store }) {
    const names = Object.keys(S.presets).filter((name) => presetFits(S, S.presets[name]));
    const now = names.find((name) => S.tokens.includes(S.presets[name].becomes)) ?? "";
    const options = [["", TEXT.options.no_preset], ...names.map((name) => [name, name])];
    return menu("preset", options, now, (name) => store.edit(presetInputs(store.state, name)));
  },
};

/** Whether a preset still fits the sentence it changes, which Python may have replaced. */
function presetFits(S, { token, becomes, embedding }) {
  const had = (word) => S.start.tokens.includes(word);
  return had(token) && (becomes === token || !had(becomes)) && startOf(S, "embeddings")?.[0].length === embedding.length;
}

/** The words and embeddings of the start, with one word replaced; none where there is no such preset. */
function presetInputs({ start: { tokens, embeddings }, presets }, name) {
  const { token, becomes, embedding } = presets[name] ?? {};
  const i = tokens.indexOf(token);
  return { tokens: tokens.map((word, k) => (k === i ? becomes : word)), embeddings: setRow(embeddings, i, embedding) };
}

/** The bar above the matrices: a chapter's choices, then the buttons. */
export function buildBar(view) {
  const { S, store } = view;
  view.painters = [];
  const choices = S.controls.map((name) => CONTROLS[name](S, view));
  const back = () => button("back", () => view.step(-1), { disabled: isLocked(S) || S.step === 0 });
  const step = () => button("step", () => view.step(1), { disabled: isLocked(S) || S.step >= view.steps });
  const large = button("large", () => store.edit({ large: !store.state.large }), { "aria-pressed": S.large });
  const reset = button("reset", () => {
    view.row = null;
    store.edit(startOver(store.state));
  });
  const buttons = [...(S.step === null ? [] : [back(), step()]), large, reset, buildMenu(view)];
  const part = (name, children) => make("span", { className: name }, ...children);
  return make("div", { className: "bar" }, part("choices", choices), part("buttons", buttons));
}

/** The question panel: choices while it is locked (a click into it takes the keys), then what was said and what is. */
export function buildQuestion(view) {
  const { S, store } = view;
  const it = question(S);
  if (!it) return null;
  const locked = isLocked(S);
  const text = locked ? questionText(S) : store.verdict.question;
  const legend = parted(TEXT.lead, { question: { text } }).map((part) => part.text ?? make("b", {}, part));
  const panel = make("fieldset", { className: "question", data: { part: "question" } }, make("legend", {}, ...legend));
  panel.append(locked ? buildChoices(it.choices(S), view) : buildAnswer(view));
  return locked ? focusable(Object.assign(panel, { tabIndex: -1 }), "question") : panel;
}

/** What was said, and what the answer is by now: its room is kept, so that nothing moves when it comes. */
function buildAnswer({ S, store, parts }) {
  const { kind, text } = store.verdict;
  const said = focusable(make("p", { tabIndex: -1, data: { part: "verdict", kind, said: S.predicted } }, text), "verdict");
  if (!parts.since) return said;
  const room = make("div", { className: "room", "aria-hidden": "true" }, `${text} ${longestSince(S, store.verdict)}`);
  return make("div", { className: "answered" }, make("div", {}, said, " ", parts.since), room);
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
  const commit = button("commit", () => view.answer(view.said));
  commit.disabled = !radios.some((label) => label.firstChild.checked);
  return make("div", { className: "choices" }, ...radios, commit, button("skip", () => view.answer(SKIPPED)));
}
