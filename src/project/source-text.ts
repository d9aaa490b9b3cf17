// Hand-written configuration files: YAML and JSON with comments, with the place of every value.
import { camelCase, snakeCase } from "../base/camel-case.ts";
import { EngineError, type Issue } from "../base/error.ts";
import { pointerOf } from "../base/json-pointer.ts";
import { readJsonText } from "../base/json-text.ts";
import { placesIn, type TextPlace } from "../base/text-place.ts";
import { readYaml, type Placed } from "../base/yaml.ts";

/** A parsed file: its value and the positions of its fields. */
export type SourceText = {
  /** Name in messages, such as `agents.yaml`. */
  readonly name: string;
  readonly value: unknown;
  /**
   * Returns the position of the value at this path, or of its nearest existing ancestor. Undefined if the source is not
   * a text.
   */
  readonly placeOf: (path: readonly string[]) => TextPlace | undefined;
  /** Returns the path as the file spells it: `tasks[1].output_file`. */
  readonly spelled: (path: readonly string[]) => string;
};

/**
 * Reads a file by its extension: `.json` and `.jsonc` with comments and trailing commas, all others as YAML. Throws
 * `invalid_definition` with an issue for the first syntax error, with line and column.
 */
export function readSourceText(name: string, text: string): SourceText {
  if (/\.jsonc?$/i.test(name)) return readJsonc(name, text);
  const { value, root, placeAt } = readYaml(text, (reason, place) =>
    unreadable(`${where(name, place)}: ${reason}`),
  );
  return {
    name,
    value,
    placeOf: (path) => placeAt(nearest(root, path)),
    spelled: (path) => spelledIn(root, path),
  };
}

/** Makes a source of a value without a text. */
export function sourceValue(name: string, value: unknown): SourceText {
  const root = keysOf(value);
  return { name, value, placeOf: () => undefined, spelled: (path) => spelledIn(root, path) };
}

/** Returns the keys of a value, without places. */
function keysOf(value: unknown): Placed {
  if (typeof value !== "object" || value === null) return { offset: 0, children: [] };
  if (Array.isArray(value)) return { offset: 0, children: value.map(keysOf) };
  const entries = Object.entries(value).map(([key, each]) => [key, keysOf(each)] as const);
  return { offset: 0, children: new Map(entries) };
}

/** Returns the subtree of a source below a path, as a source. */
export function partOf(source: SourceText, path: readonly string[]): SourceText {
  return {
    ...source,
    placeOf: (below) => source.placeOf([...path, ...below]),
    spelled: (below) => source.spelled([...path, ...below]),
  };
}

/** Same as `issueAt`, with the field: `agents.yaml:3:5: researcher.max_iter: expected number, got nothing`. */
export function faultAt(source: SourceText, path: readonly string[], message: string): Issue {
  const field = source.spelled(path);
  return issueAt(source, path, field === "" ? message : `${field}: ${message}`);
}

/** Makes an issue for a path of a file: `agents.yaml:3:5: expected text, got nothing`. */
export function issueAt(source: SourceText, path: readonly string[], message: string): Issue {
  return {
    path: pointerOf(path),
    message: `${where(source.name, source.placeOf(path))}: ${message}`,
  };
}

function readJsonc(name: string, text: string): SourceText {
  if (text.trim() === "") throw unreadable(`${name}: expected JSON, got an empty file`);
  const place = placesIn(text);
  const { value, root } = readJsonText(text, (reason, offset) =>
    unreadable(`${where(name, place(offset))}: ${reason}`),
  );
  return {
    name,
    value,
    placeOf: (path) => place(nearest(root, path)),
    spelled: (path) => spelledIn(root, path),
  };
}

/** Follows a path in this library's spelling: camelCase finds snake_case, a number finds the nth entry of a mapping. */
function nearest(root: Placed, path: readonly string[]): number {
  let here = root;
  for (const part of path) {
    const next = childOf(here, part);
    if (next === undefined) break;
    here = next[1];
  }
  return here.offset;
}

/** Spells missing fields as CrewAI does. */
function spelledIn(root: Placed, path: readonly string[]): string {
  let here: Placed | undefined = root;
  const parts = path.map((part) => {
    const next: Found | undefined = here === undefined ? undefined : childOf(here, part);
    here = next?.[1];
    return next?.[0] ?? snakeCase(part);
  });
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

/** A child with its key. */
type Found = readonly [string, Placed];

function childOf({ children }: Placed, part: string): Found | undefined {
  if (!(children instanceof Map)) {
    const item = (children as readonly Placed[])[Number(part)];
    return item === undefined ? undefined : [part, item];
  }
  const entries = [...(children as ReadonlyMap<string, Placed>)];
  const named =
    entries.find(([key]) => key === part) ?? entries.find(([key]) => camelCase(key) === part);
  return named ?? (/^\d+$/.test(part) ? entries[Number(part)] : undefined);
}

function where(name: string, place: TextPlace | undefined): string {
  return place === undefined ? name : `${name}:${place.line}:${place.column}`;
}

function unreadable(message: string): EngineError {
  return new EngineError("invalid_definition", message, { issues: [{ path: "", message }] });
}
