// An explorer as Python that makes the same one.

import { SYNCED, TABLES, pick } from "./options.js";
import { brief } from "./links.js";

const BROUGHT = ["tokens", ...TABLES, "columns", "slider"]; // by an Example

/** A value as Python writes it; the lines of a table under one another. */
function literal(x, indent = "") {
  if (x === null || typeof x === "boolean") return { null: "None", true: "True", false: "False" }[x];
  if (typeof x !== "object") return JSON.stringify(x); // numbers and text look alike in both
  const inner = `${indent}    `;
  if (!Array.isArray(x)) return `{${Object.entries(x).map(([key, value]) => `${JSON.stringify(key)}: ${literal(value, indent)}`).join(", ")}}`;
  if (!Array.isArray(x[0])) return `[${x.map((part) => literal(part, indent)).join(", ")}]`;
  return `[\n${x.map((line) => `${inner}${literal(line, inner)},\n`).join("")}${indent}]`;
}

const call = (name, positional, named) =>
  [`${name}(`, ...positional.map((x) => `    ${x},`), ...Object.entries(named).map(([key, x]) => `    ${key}=${literal(x, "    ")},`), ")"].join("\n");

/** Code that makes the explorer of a state. */
export function asPython(state) {
  const { example, start, tied, ...given } = brief(state);
  const names = Object.keys(given);
  const options = pick(given, names.filter((name) => !BROUGHT.includes(name)));
  if (start) options.start = pick(state.start, Object.keys(state.start).filter((name) => SYNCED.includes(name)));
  const made = call("example = Example", [], { ...pick(given, names.filter((name) => BROUGHT.includes(name))), ...(example ? { name: example } : {}) });
  const shown = Object.keys(options).length ? call("explore", ["example"], options) : "explore(example)";
  return `from attention_helpers import Example, explore\n\n${made}\n${shown}\n`;
}
