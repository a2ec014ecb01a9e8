// A small menu in each explorer: a link to it, the same in Python, a picture of it.

import { TEXT } from "./words/en.js";
import { fill } from "./numbers.js";
import { focusable, make } from "./dom.js";
import { button } from "./controls.js";
import { encode } from "./links.js";
import { asPython } from "./python.js";
import { drawn, pixels } from "./picture.js";

/** The button ⋯ and what it opens. It closes when the focus leaves it. */
export function buildMenu(view) {
  const said = make("p", { role: "status" });
  const say = (text, ...more) => said.replaceChildren(text, ...more);
  const entry = (action, act) => button(action, () => {
    say("");
    act().catch((error) => say(error.message || TEXT.links.failed));
  });
  const giveOut = async (text) => say(...((await copy(text, said)) ? [fill(TEXT.links.copied, { n: text.length })] : [TEXT.links.by_hand, " ", byHand(text)]));
  const giveFile = (blob, ending) => {
    save(blob, `${TEXT.links.file}.${ending}`, said);
    say(TEXT.links.saved);
  };
  const link = prepared(view);
  const build = () => [
    entry("copy-link", async () => giveOut(await link())),
    entry("copy-python", async () => giveOut(asPython(view.store.state))),
    entry("save-svg", async () => giveFile(new Blob([drawn(view).text], { type: "image/svg+xml" }), "svg")),
    entry("save-png", async () => giveFile(await pixels(drawn(view)), "png")), said,
  ];
  const entries = make("div", { className: "entries" });
  const opener = button("menu", () => (entries.hidden ? open() : close()));
  opener.setAttribute("aria-label", opener.title);
  const open = () => {
    entries.replaceChildren(...build());
    link().catch(() => {}); // said once it is asked for
    say("");
    toggle(true);
    entries.style.translate = "";
    const [from, edge] = [entries, view.root].map((one) => one.getBoundingClientRect().left);
    if (from < edge) entries.style.translate = `${edge - from}px`; // where the button stands at the left
  };
  const close = () => toggle(false);
  const toggle = (isOpen) => {
    entries.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  close();
  const menu = make("span", { className: "more-menu" }, opener, entries);
  menu.addEventListener("focusout", ({ relatedTarget }) => !menu.contains(relatedTarget) && close());
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || entries.hidden) return;
    event.preventDefault();
    event.stopPropagation();
    close();
    opener.focus({ preventScroll: true });
  });
  return menu;
}

/** A function that gives the link. It is made when the menu opens: a copy has to follow its click at once. */
function prepared({ store, home }) {
  let made = { state: null, text: null };
  return () => {
    if (made.state !== store.state) made = { state: store.state, text: encode(store.state).then((text) => home + text) };
    return made.text;
  };
}

/** Copy a text: with the clipboard, else as it was done before there was one; whether that worked. */
async function copy(text, place) {
  const { clipboard } = navigator; // none on plain http; in a frame it may refuse
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // the other way
    }
  }
  const before = place.ownerDocument.activeElement;
  const field = make("textarea", { value: text, readOnly: true, className: "only-heard" });
  place.append(field);
  field.select();
  const done = place.ownerDocument.execCommand("copy");
  before?.focus({ preventScroll: true });
  field.remove();
  return done;
}

/** A field with a text in it, selected once it has the focus. */
function byHand(text) {
  const field = focusable(make("textarea", { value: text, readOnly: true, rows: 3, "aria-label": TEXT.links.by_hand }), "by-hand");
  requestAnimationFrame(() => {
    field.focus({ preventScroll: true });
    field.select();
  });
  return field;
}

function save(blob, name, place) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name, hidden: true });
  place.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
