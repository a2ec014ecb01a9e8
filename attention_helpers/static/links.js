// A state as a piece of an address, after the #, which never reaches a server: JSON, deflated, in base64url, and the version
// at the end, so that one cut short is noticed. `explorer/links.py` writes and reads the same.

import { LINK } from "./facts.js";
import { OPTIONS, DEFAULTS, INPUTS, RESET, SYNCED, isDecided, pick, same } from "./options.js";
import { SITE } from "./site.js";
import { LINKED, Refused, checked, isObject, refuse } from "./outside.js";

const SLICE = 64; // bytes that are inflated at once: even the worst come to 66 KB

/** What an address begins with, up to the state: the page that shows any explorer. */
export const HOME = `${SITE}/explorer.html#`;

// ---- what is left out ----

const RESTORED = RESET.filter((name) => SYNCED.includes(name)); // what a start may hold

/** What an option is where a link does not name it. */
const atFirst = (name, state) => (isDecided(name) ? OPTIONS[name][2](state) : DEFAULTS[name]);

/** The names that a start has where a link does not say it. */
const implied = (given) => RESTORED.filter((name) => INPUTS.includes(name) || isDecided(name) || Object.hasOwn(given, name));

/** Only what differs from the defaults, and of the start only what differs from now: [names of what does not, the rest]. */
export function brief(state) {
  const names = LINKED.filter((name) => name !== "start" && !same(state[name], atFirst(name, state)));
  const given = pick(state, names);
  if (given.columns) given.columns = fittingColumns(state);
  const begun = RESTORED.filter((name) => Object.hasOwn(state.start, name));
  const [alike, other] = [true, false].map((is) => begun.filter((name) => same(state.start[name], state[name]) === is));
  if (other.length || !same(begun, implied(given))) given.start = [alike, pick(state.start, other)];
  return given;
}

/** Names that fit their matrix no more are not shown. */
const fittingColumns = ({ columns, ...state }) =>
  Object.fromEntries(Object.entries(columns).filter(([name, names]) => state[name]?.[0].length === names.length));

/** The state that a link means: checked, and whole. */
function whole(given) {
  if (!isObject(given)) refuse("no_state");
  const start = Object.hasOwn(given, "start") ? given.start : [implied(given), {}];
  if (!Array.isArray(start) || start.length !== 2) refuse("unfit");
  const [alike, other] = start;
  if (!Array.isArray(alike) || !alike.every((name) => RESTORED.includes(name)) || !isObject(other)) refuse("unfit");
  const inputs = { ...DEFAULTS, ...pick(given, INPUTS.filter((name) => Object.hasOwn(given, name))) };
  const now = (name) => (Object.hasOwn(given, name) ? given[name] : atFirst(name, inputs));
  return checked({ ...given, start: { ...Object.fromEntries(alike.map((name) => [name, now(name)])), ...other } });
}

// ---- bytes ----

const through = (text, stream) => new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer();

async function packedState(given) {
  const text = JSON.stringify(given);
  if (text.length > LINK.bytes) return null;
  const bytes = new Uint8Array(await through(text, new CompressionStream("deflate-raw")));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const packed = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") + LINK.version;
  return packed.length <= LINK.characters ? packed : null;
}

/** Bytes in, text out; a bomb is stopped soon after its first slice. */
async function inflate(bytes) {
  const { readable, writable } = new DecompressionStream("deflate-raw");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  const feed = async () => {
    for (let k = 0; k < bytes.length; k += SLICE) await writer.write(bytes.subarray(k, k + SLICE));
    await writer.close();
  };
  const fed = feed();
  fed.catch(() => {}); // the reader hears of it, too
  const chunks = [];
  let count = 0;
  for (let { value } = await reader.read(); value; { value } = await reader.read()) {
    count += value.length;
    if (count > LINK.bytes) {
      reader.cancel().catch(() => {});
      refuse("too_large");
    }
    chunks.push(value);
  }
  await fed;
  return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(await new Blob(chunks).arrayBuffer()));
}

// ---- to and fro ----

/** What stands for a state in an address. Losses are left out where they would make it too long. */
export async function encode(state) {
  const forgetful = { ...state, losses: [], start: { ...state.start, losses: [] } };
  return (await packedState(brief(state))) ?? (await packedState(brief(forgetful))) ?? refuse("too_much");
}

/** The whole state that a piece of an address stands for; `Refused`, with a sentence as its message, where it is none. */
export async function decode(text) {
  if (text.length > LINK.characters) refuse("too_long");
  const [, base64, version] = /^([\w-]+)(\.\d*)?$/.exec(text) ?? refuse("no_link");
  if (!version || version === ".") refuse("cut_short");
  if (version !== LINK.version) refuse("version");
  let given;
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    given = JSON.parse(await inflate(bytes));
  } catch (error) {
    if (error instanceof Refused) throw error;
    refuse("damaged");
  }
  return whole(given);
}

/** What the part of an address after the # opens: which explorer of the page, counted from 1, and the text of its state. */
export function opened(hash) {
  const [, which, text] = /^#?(?:explorer-(\d{1,4})(?:=|%3D))?(.*)$/i.exec(hash) ?? [];
  return { which: Number(which ?? 1), text: text ?? "", isNamed: which !== undefined };
}
