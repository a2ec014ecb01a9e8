// The module as anywidget wants it: one store for all views of one model, in step with Python.

import { DEFAULTS, SYNCED, isDecided, pick } from "./options.js";
import { createStore } from "./store.js";
import { mount } from "./page.js";
import { LABORATORY } from "./laboratory.js";

// Give the kernel what the hand has changed: at once, or when the connection is back. An answer is lost when JupyterLab's
// connection breaks or a cell floods it, and ipywidgets sends nothing more before it comes: so it is kept, and sent again.
function connect(model, store, receive) {
  const manager = model.widget_manager;
  const kernel = manager?.kernel;
  let whole = null; // ipywidgets' own model
  let broken = false; // the connection
  let unheard = {};
  model.on("change", (self) => (whole = self));

  /** The kernel that holds the Python side is gone, for good. */
  function lose() {
    store.lost = true;
    store.tell();
  }

  function send(patch) {
    if (Object.keys(patch).length === 0) return; // a press that moved nothing
    for (const name of Object.keys(patch)) model.set(name, patch[name]);
    if (!kernel?.requestCommInfo) return model.save_changes(); // not JupyterLab
    unheard = { ...unheard, ...patch };
    if (!store.lost && !broken) model.save_changes(awaited());
  }

  /** What ipywidgets calls when the answer comes; where none comes, we ask. */
  function awaited() {
    const mine = unheard;
    const callbacks = manager.callbacks?.() ?? {};
    const status = ({ content }) => {
      if (content.execution_state !== "idle" || unheard !== mine) return;
      unheard = {};
      receive();
    };
    setTimeout(() => unheard === mine && !broken && resume().catch(() => {}), 2000);
    return { ...callbacks, iopub: { ...callbacks.iopub, status } };
  }

  /** The kernel answers in order: what it has not answered after this question is lost. */
  async function resume() {
    const asked = unheard;
    const { content } = await kernel.requestCommInfo({ target_name: "jupyter.widget" });
    if (whole && !content.comms?.[whole.model_id]) return lose(); // another kernel by now
    await new Promise((soon) => setTimeout(soon, 100)); // the two ways from the kernel differ a little
    const over = broken || unheard === asked; // else something newer is under way
    broken = false;
    if (!over || !whole || store.lost || Object.keys(unheard).length === 0) return;
    Object.assign(whole, { _pending_msgs: 0, _msg_buffer: null });
    unheard = { ...unheard }; // answers that come late are not meant
    whole.save(unheard, { patch: true, callbacks: awaited() });
  }

  kernel?.disposed?.connect(lose);
  kernel?.statusChanged?.connect((_, status) => ["dead", "restarting", "autorestarting"].includes(status) && lose());
  kernel?.connectionStatusChanged?.connect((_, status) => {
    if (status !== "connected") broken = true;
    else if (broken) resume().catch(() => {}); // it broke once more
  });
  return { send, kept: () => unheard };
}

/** What a model may be: which of its traits are shared, what goes for one that it lacks, its store, its page. */
const KINDS = { explorer: { synced: SYNCED, defaults: DEFAULTS, isDecided, createStore, mount }, laboratory: LABORATORY };

export default () => {
  let store;
  let kind;
  /** In Pyodide Python's None comes as undefined, at any depth: null is meant. */
  const plain = (value) => JSON.parse(JSON.stringify(value ?? null, (_, part) => part ?? null));
  /** A notebook saved with another version may lack a trait. */
  const read = (model) => Object.fromEntries(kind.synced.map((name) => [name, plain(model.get(name)) ?? kind.defaults[name]])
    .filter(([name, value]) => value !== null || !kind.isDecided(name)));
  return {
    initialize({ model }) {
      kind = KINDS[model.get("_kind")] ?? KINDS.explorer; // one saved with an earlier version does not say
      store = kind.createStore(read(model));
      let waiting = false;
      const receive = () => {
        waiting = false;
        store.receive({ ...read(model), ...link.kept() });
      };
      const link = connect(model, store, receive);
      model.on("change", () => {
        if (!waiting) requestAnimationFrame(receive); // many changes, one redraw
        waiting = true;
      });
      store.onRest((patch) => {
        link.send(pick(patch, kind.synced.filter((name) => name in patch)));
        receive(); // what came from Python while the hand was on
      });
    },
    render: ({ el }) => kind.mount(el, store),
  };
};
