// Configuration files as people write them: YAML and JSON with comments, with the place of every value.
import {
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
} from "yaml";
import { camelCase } from "../base/camel-case.ts";
import { EngineError, errorMessage, type Issue } from "../base/error.ts";
import { pointerOf } from "../base/json-pointer.ts";

/** A place in a text, both counted from 1. */
export type TextPlace = { readonly line: number; readonly column: number };

/** A file that was read: its value, and where each part of it stands. */
export type SourceText = {
  /** As messages name it, such as `agents.yaml`. */
  readonly name: string;
  readonly value: unknown;
  /** Where the value at this path stands; where it does not exist, the nearest one above it. */
  readonly placeOf: (path: readonly string[]) => TextPlace;
};

/** Where a value stands, and the values in it: by key, or by number. */
type Placed = {
  readonly offset: number;
  readonly children: ReadonlyMap<string, Placed> | readonly Placed[];
};

/** Aliases may not grow a small document into a large one. */
const MAX_ALIASES = 100;

/**
 * Reads a file by the ending of its name: `.json` and `.jsonc` with comments and trailing commas, all else as YAML.
 * Throws `invalid_definition` with one issue for each error of syntax, each with line and column.
 */
export function readSourceText(name: string, text: string): SourceText {
  return /\.jsonc?$/i.test(name) ? readJsonc(name, text) : readYaml(name, text);
}

/** What is wrong at a path of a file: `agents.yaml:3:5: expected text, got nothing`. */
export function issueAt(source: SourceText, path: readonly string[], message: string): Issue {
  return {
    path: pointerOf(path),
    message: `${where(source.name, source.placeOf(path))}: ${message}`,
  };
}

function readYaml(name: string, text: string): SourceText {
  const lines = new LineCounter();
  const document = parseDocument(text, { merge: true, prettyErrors: false, lineCounter: lines });
  const place = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0)
    throw unreadable(
      document.errors.map((error) => `${where(name, place(error.pos[0]))}: ${error.message}`),
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw unreadable([`${name}: ${errorMessage(error)}`]);
  }
  const root = placedYaml(document.contents, document, 0);
  return { name, value, placeOf: (path) => place(nearest(root, path)) };
}

function readJsonc(name: string, text: string): SourceText {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const place = placeIn(text);
  if (root === undefined || errors.length > 0) {
    const told = errors.map(({ error, offset }) => {
      const what = printParseErrorCode(error).replace(
        /\B[A-Z]/g,
        (letter) => ` ${letter.toLowerCase()}`,
      );
      return `${where(name, place(offset))}: ${what.toLowerCase()}`;
    });
    throw unreadable(told.length > 0 ? told : [`${name}: expected JSON, got an empty file`]);
  }
  const placed = placedJson(root);
  return {
    name,
    value: getNodeValue(root) as unknown,
    placeOf: (path) => place(nearest(placed, path)),
  };
}

function placedYaml(node: unknown, document: Document, above: number): Placed {
  const target = isAlias(node) ? node.resolve(document) : node;
  const offset = isNode(node) ? (node.range?.[0] ?? above) : above;
  if (isMap(target)) {
    const entries = target.items.map(({ key, value }): [string, Placed] => {
      const keyOffset = isNode(key) ? (key.range?.[0] ?? offset) : offset;
      return [
        isScalar(key) ? String(key.value) : String(key),
        { ...placedYaml(value, document, keyOffset), offset: keyOffset },
      ];
    });
    return { offset, children: new Map(entries) };
  }
  if (isSeq(target))
    return { offset, children: target.items.map((item) => placedYaml(item, document, offset)) };
  return { offset, children: [] };
}

function placedJson({ type, offset, children = [] }: Node): Placed {
  if (type === "array") return { offset, children: children.map(placedJson) };
  if (type !== "object") return { offset, children: [] };
  const entries = children.flatMap(({ children: pair = [] }): [string, Placed][] => {
    const [key, value] = pair;
    if (key === undefined || value === undefined) return [];
    return [[String(key.value), { ...placedJson(value), offset: key.offset }]];
  });
  return { offset, children: new Map(entries) };
}

/** Follows a path of our own spelling: camelCase finds snake_case, a number finds the nth entry of a mapping. */
function nearest(root: Placed, path: readonly string[]): number {
  let here = root;
  for (const part of path) {
    const next = childOf(here, part);
    if (next === undefined) break;
    here = next;
  }
  return here.offset;
}

function childOf({ children }: Placed, part: string): Placed | undefined {
  if (!(children instanceof Map)) return (children as readonly Placed[])[Number(part)];
  const exact = (children as ReadonlyMap<string, Placed>).get(part);
  if (exact !== undefined) return exact;
  const entries = [...(children as ReadonlyMap<string, Placed>)];
  const spelled = entries.find(([key]) => camelCase(key) === part)?.[1];
  return spelled ?? (/^\d+$/.test(part) ? entries[Number(part)]?.[1] : undefined);
}

function placeIn(text: string): (offset: number) => TextPlace {
  return (offset) => {
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
  };
}

function where(name: string, { line, column }: TextPlace): string {
  return `${name}:${line}:${column}`;
}

function unreadable(messages: readonly string[]): EngineError {
  const more = messages.length > 1 ? ` (and ${messages.length - 1} more)` : "";
  return new EngineError("invalid_definition", `${messages[0] ?? ""}${more}`, {
    issues: messages.map((message) => ({ path: "", message })),
  });
}
