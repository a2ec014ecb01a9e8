// What each explorer carries instead of the code. One small widget a kernel holds the code, the
// style and the examples; this finds it and hands over to widget.js, as it stands in that widget.

/** The shared widget. Its code is imported once, and kept with it. */
async function findCode(model) {
  const id = model.get("_code").slice("IPY_MODEL_".length);
  const code = await model.widget_manager.get_model(id);
  code.imported ??= load(code.get("source"));
  return code;
}

async function load(source) {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const module = await import(address);
  URL.revokeObjectURL(address);
  return module;
}

export default () => {
  // not awaited: anywidget drops what the kernel says while a widget starts for over two seconds
  let ready, leave;
  return {
    initialize({ model, ...rest }) {
      ready = findCode(model).then(async (code) => {
        const shared = await code.imported;
        const widget = shared.default();
        const get = (name) => (name === "library" ? code.get(name) : model.get(name));
        leave = await widget.initialize({ ...rest, model: { ...model, get } });
        return { widget, dress: (el) => shared.dress(el, code.get("style")) };
      });
      ready.catch((error) => console.warn(error));
      return () => leave?.();
    },
    async render({ el, ...rest }) {
      const made = await ready.catch(() => null);
      if (!made) {
        // a text of words/, put here by bundle.py
        el.textContent = GONE;
        return;
      }
      made.dress(el);
      return made.widget.render({ el, ...rest });
    },
  };
};
