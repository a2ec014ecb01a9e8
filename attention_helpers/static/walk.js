// Learning by itself: one step, or a step a frame until there is nothing more to gain. A run is one gesture.

import { compute } from "./engine.js";
import { descended, loss } from "./learning.js";
import { further } from "./store.js";

/** When a run ends: at this loss, after so many steps that gained less than this, or after so many in all. */
export const ENDS = { arrived: 0.001, gain: 0.0001, patience: 50, longest: 500 };

/** What one step changes; null where it would carry a number beyond a million. */
function stepOf(state) {
  const moved = descended(compute(state));
  return moved && { ...moved, losses: further(state.losses, loss(compute({ ...state, ...moved }))) };
}

/** What there is to say of a step, or of the end of a run: of these losses and no others. */
const told = (kind, state, losses, n) => ({ kind, n, rate: state.rate, losses });
const ofStep = (state, { losses }, n) => told(losses.at(-1) > state.losses.at(-1) ? "rose" : "step", state, losses, n);

/** A function that takes a state one step on: { patch, n }, or { end, n } with the reason why there is no step more. */
function createWalk({ losses }) {
  let [mark, since, n] = [losses.at(-1), 0, 0];
  return (state) => {
    const end = state.losses.at(-1) < ENDS.arrived ? "arrived" : n === ENDS.longest ? "enough" : since === ENDS.patience ? "level" : null;
    const patch = end ? null : stepOf(state);
    if (!patch) return { end: end ?? "ran_away", n: n + !end };
    n += 1;
    since = patch.losses.at(-1) < mark - ENDS.gain ? 0 : since + 1;
    if (since === 0) mark = patch.losses.at(-1);
    return { patch, n };
  };
}

export function oneStep(store) {
  if (store.hand) store.release();
  const { state } = store;
  const patch = stepOf(state);
  const n = state.losses.length;
  store.told = patch ? ofStep(state, patch, n) : told("ran_away", state, state.losses, n);
  if (patch) store.edit(patch);
  else store.tell();
}

/** Learn until the end of the walk; a hand that comes ends it too. Who wants no motion sees the end at once. */
export function learn(store, window) {
  if (store.hand) store.release();
  const walk = createWalk(store.state);
  let steps = 0;
  const end = (kind) => {
    Object.assign(store, { interrupt: null, running: false, told: told(kind, store.state, store.state.losses, steps) });
    if (store.hand) store.release();
    store.tell();
  };
  const change = (patch) => {
    store.interrupt = null; // this is not a hand
    store.change(patch);
    store.interrupt = () => end("paused");
  };
  const frame = () => {
    if (!store.running) return;
    const { patch, end: kind, n } = walk(store.state);
    steps = n;
    if (kind) return end(kind);
    store.told = ofStep(store.state, patch, n);
    change(patch);
    window.requestAnimationFrame(frame);
  };
  const leap = () => {
    let state = store.state;
    let found = walk(state);
    for (; found.patch; found = walk(state)) state = { ...state, ...found.patch };
    steps = found.n;
    change(state);
    end(found.end);
  };
  store.running = true;
  store.interrupt = () => end("paused");
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) leap();
  else window.requestAnimationFrame(frame);
}

export const pause = (store) => store.interrupt?.();
