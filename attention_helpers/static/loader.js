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

/** Put the style into the document, or the shadow root, once; it dresses the explorers of its own version only. */
function dress(el, style) {
  const root = el.getRootNode();
  const place = root instanceof ShadowRoot ? root : document.head;
  const sheets = [...place.querySelectorAll("style[data-explorer]")];
  const own = (k) => style.replaceAll(/\.(attention-explorer|scale-laboratory)/g, `$&:where([data-explorer-style="${k}"])`);
  let k = sheets.findIndex((sheet, k) => sheet.textContent === own(k));
  if (k < 0) {
    k = sheets.length;
    const sheet = Object.assign(document.createElement("style"), { textContent: own(k) });
    sheet.dataset.explorer = "";
    place.append(sheet);
  }
  el.dataset.explorerStyle = k;
}

export default () => {
  // not awaited: anywidget drops what the kernel says while a widget starts for over two seconds
  let ready, leave;
  return {
    initialize({ model, ...rest }) {
      ready = findCode(model).then(async (code) => {
        const widget = (await code.imported).default();
        const get = (name) => (name === "library" ? code.get(name) : model.get(name));
        leave = await widget.initialize({ ...rest, model: { ...model, get } });
        return { widget, style: code.get("style") };
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
      dress(el, made.style);
      return made.widget.render({ el, ...rest });
    },
  };
};
