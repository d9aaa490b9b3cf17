// Additions to `src/worker.ts`.
//
//   WSR1. Only a Worker of the known shape is changed: one `defineApp({ … })` with its options in place. Any other
//         stays unchanged, and the result is the lines to add by hand.
//   WSR2. Existing text stays, byte for byte: new text is only inserted.

/** A value to add to the Worker. */
export type Registration = {
  /** `import { a } from "b";` */
  readonly imports: readonly string[];
  /** Place in the options of `defineApp`: `["agents"]`, or `["triggers", "schedules"]`. */
  readonly at: readonly string[];
  /** A property of that object; for tools, an item of that list. */
  readonly entry: string;
  /** Call around a new object of the first name: `triggers(` for `triggers({ … })`. */
  readonly call?: string;
};

/** Returns the source with the registration. Undefined if its shape is unknown. */
export function registered(source: string, registration: Registration): string | undefined {
  const calls = [...source.matchAll(/\bdefineApp\(\s*\{/g)];
  const [call] = calls;
  if (call === undefined || calls.length !== 1) return undefined;
  const open = call.index + call[0].length - 1;
  const changed =
    registration.at[0] === "tools"
      ? withTool(source, open, registration.entry)
      : withProperty(source, { open, ...registration });
  return changed === undefined ? undefined : withImports(changed, registration.imports);
}

/** Returns the lines to add by hand. */
export function linesToAdd({ imports, at, entry, call = "" }: Registration): readonly string[] {
  const [first = "", second] = at;
  const inner = second === undefined ? entry : `${second}: { ${entry} }`;
  const value =
    first === "tools" ? `[${entry}]` : call === "" ? `{ ${inner} }` : `${call}{ ${inner} })`;
  return [
    ...imports,
    `defineApp({ …, ${entry === "" ? `${first}: ${call})` : `${first}: ${value}`} })`,
  ];
}

/** Adds a tool to the list that definitions and the app share: `const tools = [a];`, or to the catalogue alone. */
function withTool(source: string, open: number, entry: string): string | undefined {
  const list = /^const tools = \[/m.exec(source);
  const app = objectAt(source, open);
  if (app === undefined) return undefined;
  if (list !== null) {
    const isUsed = app.properties.some(({ name }) => name === "tools");
    const start = list.index + list[0].length - 1;
    const end = closing(source, start);
    if (!isUsed || end === undefined) return undefined;
    return putInto(source, { open: start, close: end, entry });
  }
  const tools = app.properties.find(({ name }) => name === "tools");
  const definitions = /\bdefinitions\(\{/.exec(source);
  if (tools === undefined || definitions === null) return undefined;
  const named = objectAt(source, definitions.index + definitions[0].length - 1);
  if (named === undefined || named.close > tools.value) return undefined;
  const known = named.properties.find(({ name }) => name === "tools");
  // From the end backwards, so that earlier offsets stay valid.
  if (source.slice(tools.value, tools.end) === "toolCatalog()" && known === undefined) {
    const withApp = `${source.slice(0, tools.value)}[${entry}, toolCatalog()]${source.slice(tools.end)}`;
    return putInto(withApp, { open: named.open, close: named.close, entry: `tools: [${entry}]` });
  }
  const lists = [tools, known].map((each) =>
    each === undefined ? undefined : listAt(source, each),
  );
  const [ofApp, ofDefinitions] = lists;
  if (ofApp === undefined || ofDefinitions === undefined) return undefined;
  return putInto(putInto(source, { ...ofApp, entry }), { ...ofDefinitions, entry });
}

/** Finds the list in a property's value. */
function listAt(
  source: string,
  { value, end }: Property,
): { readonly open: number; readonly close: number } | undefined {
  const close = source[value] === "[" ? closing(source, value) : undefined;
  return close === end - 1 ? { open: value, close } : undefined;
}

type Wanted = Pick<Registration, "at" | "entry" | "call"> & { readonly open: number };

function withProperty(source: string, { open, at, entry, call = "" }: Wanted): string | undefined {
  const object = objectAt(source, open);
  const [first, ...rest] = at;
  if (object === undefined) return undefined;
  const put = (text: string): string =>
    putInto(source, { open: object.open, close: object.close, entry: text });
  if (first === undefined) {
    const name = /^(?:"([^"]+)"|(\w+))/.exec(entry);
    const isThere = object.properties.some((each) => each.name === (name?.[1] ?? name?.[2]));
    return isThere ? undefined : put(entry);
  }
  const there = object.properties.find(({ name }) => name === first);
  if (there === undefined) {
    const inner = rest.reduceRight((text, name) => `${name}: { ${text} }`, entry);
    const isWhole = entry === "";
    const value = call === "" ? `{ ${inner} }` : isWhole ? `${call})` : `${call}{ ${inner} })`;
    return put(`${first}: ${value}`);
  }
  if (entry === "") return source; // already registered
  const value = source.slice(there.value, there.end);
  if (!value.startsWith(`${call}{`)) return undefined;
  return withProperty(source, { open: there.value + call.length, at: rest, entry });
}

function withImports(source: string, imports: readonly string[]): string | undefined {
  const missing = imports.filter((line) => !source.includes(line));
  const last = [...source.matchAll(/^import [^;]*;$/gm)].at(-1);
  if (last === undefined) return undefined;
  const end = last.index + last[0].length;
  const newline = source.includes("\r\n") ? "\r\n" : "\n";
  return source.slice(0, end) + missing.map((line) => newline + line).join("") + source.slice(end);
}

type Property = { readonly name: string; readonly value: number; readonly end: number };
type ObjectPlace = {
  readonly open: number;
  readonly close: number;
  readonly properties: readonly Property[];
};

/** The name of a property, after comments. */
const NAME = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*(?:"([^"]+)"|([\w$]+))\s*/;

/** Reads the object at this brace. Undefined if its form is unknown. */
function objectAt(source: string, open: number): ObjectPlace | undefined {
  const close = closing(source, open);
  if (source[open] !== "{" || close === undefined) return undefined;
  const properties: Property[] = [];
  for (const [start, end] of parts(source, open + 1, close)) {
    const text = source.slice(start, end);
    const [whole = "", quoted, bare] = NAME.exec(text) ?? [];
    const name = quoted ?? bare;
    if (name === undefined) continue; // spread, or a comment at the end
    const after = text.slice(whole.length);
    const value = after.startsWith(":")
      ? start + whole.length + 1 + (/^\s*/.exec(after.slice(1))?.[0].length ?? 0)
      : start;
    properties.push({ name, value, end: start + text.trimEnd().length });
  }
  return { open, close, properties };
}

/** Splits at the commas of this level. */
function parts(source: string, from: number, to: number): ReadonlyArray<readonly [number, number]> {
  const found: [number, number][] = [];
  let start = from;
  for (let at = from; at < to; at = next(source, at))
    if (source[at] === ",") {
      found.push([start, at]);
      start = at + 1;
    }
  return [...found, [start, to]];
}

/** Returns the offset of the matching closing bracket. */
function closing(source: string, open: number): number | undefined {
  const close = { "{": "}", "[": "]", "(": ")" }[source[open] ?? ""];
  for (let at = open + 1; at < source.length; at = next(source, at)) {
    if (source[at] === close) return at;
    if (/[}\])]/.test(source[at] ?? "")) return undefined;
  }
  return undefined;
}

/** Returns the offset behind the next unit: a character, or a complete text, comment or pair of brackets. */
function next(source: string, at: number): number {
  const two = source.slice(at, at + 2);
  if (two === "//") return endOf(source.indexOf("\n", at), source);
  if (two === "/*") return endOf(source.indexOf("*/", at) + 1, source);
  const [char = ""] = two;
  if (/["'`]/.test(char)) {
    for (let end = at + 1; end < source.length; end++) {
      if (source[end] === "\\") end++;
      else if (source[end] === char) return end + 1;
    }
    return source.length;
  }
  if (/[{[(]/.test(char)) return endOf(closing(source, at) ?? -1, source);
  return at + 1;
}

const endOf = (found: number, source: string): number => (found <= 0 ? source.length : found + 1);

function putInto(
  source: string,
  { open, close, entry }: { readonly open: number; readonly close: number; readonly entry: string },
): string {
  const inner = source.slice(open + 1, close);
  const before = inner.trimEnd();
  const isEmpty = before === "";
  // A comment at the end would include the entry.
  if (/\/\/[^\n]*$/.test(before))
    return `${source.slice(0, open + 1)} ${entry},${source.slice(open + 1)}`;
  const comma = isEmpty || before.endsWith(",") ? "" : ",";
  const isLong = before.includes("\n");
  const indent = isLong ? (/\n([ \t]*)\S[^\n]*$/.exec(before)?.[1] ?? "  ") : "";
  const space = isEmpty && source[open] === "[" ? "" : " ";
  const put = isLong
    ? `${comma}\n${indent}${entry},`
    : `${comma}${isEmpty && space === "" ? "" : " "}${entry}`;
  const tail = isLong ? inner.slice(before.length) : isEmpty ? space : inner.slice(before.length);
  return source.slice(0, open + 1) + before + put + tail + source.slice(close);
}
