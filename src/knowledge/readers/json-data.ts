import type { DataLimits, DataNode } from "./data-text.ts";
import type { ReadingWork } from "./reading-work.ts";

/** A fault of a JSON text, at an offset. */
export class JsonFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

const BLANK = /[\s\ufeff]*/y;
/** Python writes the numbers that JSON does not have. */
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity/y;
/** Values between two pauses. */
const VALUES_PER_GO = 5_000;

/**
 * Parses JSON into values as they are written (DT1). `lines` receives the line of each value, or of its name, as
 * `dataLines` takes them. Throws `JsonFault` at the first fault.
 */
export async function parseJsonData(
  text: string,
  limits: DataLimits,
  { work, lines }: { readonly work: ReadingWork; readonly lines?: number[] },
): Promise<DataNode> {
  const parser = new JsonParser(text, limits, lines);
  while (!parser.advance(VALUES_PER_GO)) {
    work.spend(parser.read());
    await work.pause();
  }
  return parser.value;
}

/** Parses one JSON text at once: a line of JSON Lines. */
export function jsonData(text: string, limits: DataLimits): DataNode {
  const parser = new JsonParser(text, limits);
  while (!parser.advance(VALUES_PER_GO));
  return parser.value;
}

type Open =
  | { readonly kind: "list"; readonly items: DataNode[] }
  | { readonly kind: "fields"; readonly fields: Array<readonly [string, DataNode]>; key: string };

/** Reads value after value, and can pause between two of them. */
class JsonParser {
  readonly #text: string;
  readonly #limits: DataLimits;
  readonly #open: Open[] = [];
  #at = 0;
  #seen = 0;
  #value: DataNode | undefined;
  readonly #lines: number[] | undefined;
  /** Offset of the last name. */
  #nameAt = 0;
  #line = 1;
  /** Offset of the next line break; -1 behind the last. */
  #break: number;

  constructor(text: string, limits: DataLimits, lines?: number[]) {
    this.#text = text;
    this.#limits = limits;
    this.#lines = lines;
    this.#break = text.indexOf("\n");
  }

  get value(): DataNode {
    return this.#value ?? "";
  }

  /** Characters read since the last call. */
  read(): number {
    const read = this.#at - this.#seen;
    this.#seen = this.#at;
    return read;
  }

  /** Reads up to a number of values. True at the end of the text. */
  advance(values: number): boolean {
    for (let count = 0; count < values; count++) {
      if (this.#value !== undefined && this.#open.length === 0) {
        if (this.#peek() !== "") throw this.#fault("expected the end of the text");
        return true;
      }
      this.#one();
    }
    return false;
  }

  /** Reads a scalar, or opens a list or fields. */
  #one(): void {
    const next = this.#peek();
    this.#limits.count(this.#open.length);
    this.#lines?.push(this.#lineOf(this.#open.at(-1)?.kind === "fields" ? this.#nameAt : this.#at));
    if (next === "{") {
      this.#at++;
      this.#open.push({ kind: "fields", fields: [], key: "" });
      if (!this.#closes("}")) this.#key();
      return;
    }
    if (next === "[") {
      this.#at++;
      this.#open.push({ kind: "list", items: [] });
      this.#closes("]");
      return;
    }
    this.#put(next === '"' ? this.#string() : this.#word());
  }

  /** Returns the line of an offset. Offsets must ascend. */
  #lineOf(offset: number): number {
    while (this.#break !== -1 && this.#break < offset) {
      this.#line++;
      this.#break = this.#text.indexOf("\n", this.#break + 1);
    }
    return this.#line;
  }

  /** Adds a value to the open list or fields, and closes those that end behind it. */
  #put(value: DataNode): void {
    const open = this.#open.at(-1);
    if (open === undefined) {
      this.#value = value;
      return;
    }
    if (open.kind === "list") open.items.push(value);
    else open.fields.push([open.key, value]);
    const end = open.kind === "list" ? "]" : "}";
    if (this.#closes(end)) return;
    if (this.#peek() !== ",") throw this.#fault(`expected , or ${end}`);
    this.#at++;
    if (open.kind === "fields") this.#key();
  }

  #closes(end: string): boolean {
    if (this.#peek() !== end) return false;
    this.#at++;
    const open = this.#open.pop();
    this.#put(open?.kind === "fields" ? { fields: open.fields } : (open?.items ?? []));
    return true;
  }

  #key(): void {
    const open = this.#open.at(-1);
    if (this.#peek() !== '"' || open?.kind !== "fields") throw this.#fault("expected a name");
    this.#nameAt = this.#at;
    open.key = this.#string();
    if (this.#peek() !== ":") throw this.#fault("expected :");
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    const text = this.#text;
    for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
      let escapes = 0;
      while (text[at - 1 - escapes] === "\\") escapes++;
      if (escapes % 2 === 1) continue;
      this.#at = at + 1;
      try {
        return JSON.parse(text.slice(start, at + 1)) as string;
      } catch {
        throw new JsonFault("a text has a character that must be escaped", start);
      }
    }
    throw new JsonFault("a text does not end", start);
  }

  #word(): string {
    WORD.lastIndex = this.#at;
    const [word] = WORD.exec(this.#text) ?? [];
    if (word === undefined) throw this.#fault("expected a value");
    this.#at = WORD.lastIndex;
    return word;
  }

  #peek(): string {
    BLANK.lastIndex = this.#at;
    BLANK.exec(this.#text);
    this.#at = BLANK.lastIndex;
    return this.#text.charAt(this.#at);
  }

  #fault(message: string): JsonFault {
    const found = this.#text.slice(this.#at, this.#at + 20);
    return new JsonFault(
      `${message}, got ${found === "" ? "the end" : JSON.stringify(found)}`,
      this.#at,
    );
  }
}
