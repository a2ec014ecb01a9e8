// Elements of the page.

/** Make an element: properties, data-* attributes under `data`, children. Text is text, never HTML. */
export function make(tag, { data = {}, ...properties } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

// Let an element take the focus inside a notebook. JupyterLab would take its keys (the letter x cuts the cell) unless
// the element itself carries this attribute.
export function focusable(element, key) {
  Object.assign(element.dataset, { lmSuppressShortcuts: "true", key });
  if (element.tagName === "BUTTON") element.tabIndex = 0; // else Safari gives a clicked one no focus, and its keys to the notebook
  return element;
}

export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Make an element of a drawing. */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Write the parts of a sentence, those with a role in their colour. */
export const writeParts = (node, parts) =>
  node.replaceChildren(...parts.map((part) => (part.role ? make("span", { className: part.role }, part.text) : part)));

/** Put the style into the document, or the shadow root, once; it dresses the explorers of its own version only. */
export function dress(el, style) {
  const root = el.getRootNode();
  const place = root instanceof ShadowRoot ? root : document.head;
  const sheets = [...place.querySelectorAll("style[data-explorer]")];
  const own = (k) => style.replaceAll(/\.(attention-explorer|scale-laboratory)/g, `$&:where([data-explorer-style="${k}"])`);
  let k = sheets.findIndex((sheet, k) => sheet.textContent === own(k));
  if (k < 0) {
    k = sheets.length;
    place.append(make("style", { textContent: own(k), data: { explorer: "" } }));
  }
  el.dataset.explorerStyle = k;
}
