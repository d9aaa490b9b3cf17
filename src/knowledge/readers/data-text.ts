// Structured data as lines of text.
//
//   DT1. Scalars are texts as their document writes them: no digit of a number is lost.
//   DT2. Records are separate: those of a list are apart by a blank line, and each one on a line of its own is a line.
//   DT3. A line of text has the line of its value in the document, unless the document is one line.
import { EngineError } from "../../base/error.ts";

/** Fields by name; a name may come twice. */
export type DataFields = { readonly fields: ReadonlyArray<readonly [string, DataNode]> };

/** A scalar's text, a list, or fields. */
export type DataNode = string | readonly DataNode[] | DataFields;

/** Maximum nesting of lists and fields. */
export const MAX_DATA_DEPTH = 200;
/** Maximum number of values. Parsed values take ten times the size of their text, or more. */
export const MAX_VALUES = 1_000_000;

export function isFields(node: DataNode | undefined): node is DataFields {
  return typeof node === "object" && "fields" in node;
}

/** Returns a field's value; undefined without one. */
export function fieldOf(node: DataNode | undefined, name: string): DataNode | undefined {
  return isFields(node) ? node.fields.find(([each]) => each === name)?.[1] : undefined;
}

/** Returns the items of a list; none for another value. */
export function itemsOf(node: DataNode | undefined): readonly DataNode[] {
  return Array.isArray(node) ? (node as readonly DataNode[]) : [];
}

/** Throws `limit_exceeded` for data too deep or too large. */
export class DataLimits {
  readonly #what: string;
  #values = 0;

  constructor(what: string) {
    this.#what = what;
  }

  count(depth: number): void {
    if (depth > MAX_DATA_DEPTH)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} is nested more than ${MAX_DATA_DEPTH} deep, which is too deep to read`,
      );
    if (++this.#values > MAX_VALUES)
      throw new EngineError(
        "limit_exceeded",
        `the ${this.#what} has more than ${MAX_VALUES} values, which is too many to read: split it up`,
      );
  }
}

/** A line of text, and the line of the document that it comes from, if it is known. */
export type DataLine = { readonly text: string; readonly line?: number | undefined };

/**
 * Yields `key: value` and `- item` lines, indented by two spaces for each level. `lines` are the lines of all values in
 * the document, of its root first, and of a list or fields before those of its items.
 */
export function dataLines(node: DataNode, lines: readonly number[] = []): Generator<DataLine> {
  return new DataText(lines).all(node);
}

class DataText {
  readonly #lines: readonly number[];
  #at = 0;

  constructor(lines: readonly number[]) {
    this.#lines = lines;
  }

  *all(node: DataNode): Generator<DataLine> {
    const items = itemsOf(node);
    const areRecords = items.length > 1 && items.every(isFields);
    if (!areRecords) {
      yield* this.#linesOf("", node, "");
      return;
    }
    this.#at++;
    for (const [index, item] of items.entries()) {
      if (index > 0) yield { text: "\n" };
      yield* this.#linesOf("", item, "");
    }
  }

  *#linesOf(label: string, node: DataNode, indent: string): Generator<DataLine> {
    const line = this.#lines[this.#at++];
    if (typeof node === "string") {
      yield { text: `${indent}${label}${node}\n`, line };
      return;
    }
    if (label !== "") yield { text: `${indent}${label.trimEnd()}\n`, line };
    const inner = label === "" ? indent : `${indent}  `;
    if (isFields(node))
      for (const [key, item] of node.fields) yield* this.#linesOf(`${key}: `, item, inner);
    else for (const item of node) yield* this.#linesOf("- ", item, inner);
  }
}

const BETWEEN = " | ";

/** Returns a record as one line of named values: `name: tea | price.eur: 3`. */
export function recordLine(node: DataNode): string {
  const values: string[] = [];
  collect("", node, values);
  return values.join(BETWEEN).replaceAll(/\s+/g, " ").trim();
}

function collect(path: string, node: DataNode, values: string[]): void {
  if (typeof node === "string") {
    if (node !== "") values.push(path === "" ? node : `${path}: ${node}`);
    return;
  }
  if (isFields(node)) {
    for (const [key, item] of node.fields)
      collect(path === "" ? key : `${path}.${key}`, item, values);
    return;
  }
  const scalars = node.filter((item) => typeof item === "string");
  if (scalars.length > 0) collect(path, scalars.join(", "), values);
  for (const item of node) if (typeof item !== "string") collect(path, item, values);
}
