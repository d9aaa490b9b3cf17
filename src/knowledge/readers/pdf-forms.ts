// Forms of a PDF: pieces of a page painted by name, also by other forms. A few forms can expand to a billion pieces.
import { EngineError } from "../../base/error.ts";

/** Maximum number of pieces painted by one page, or by one piece. */
const MAX_PAINTED = 50_000;
/** Maximum nesting of forms. */
const MAX_DEPTH = 200;
/** Maximum number of references from the resources of a form to an object. */
const MAX_STEPS = 4;

export type PdfObject = {
  readonly number: string;
  /** Its dictionary; for an object without a stream, its whole text. */
  readonly text: string;
  /** Content of its stream, if it may paint; undefined if unknown. */
  readonly content?: string | undefined;
};

/** Throws `limit_exceeded` for a PDF whose pages paint too many pieces. */
export function checkForms(objects: readonly PdfObject[]): void {
  const byNumber = Map.groupBy(objects, ({ number }) => number);
  const anywhere = new Map<string, Set<string>>();
  for (const { text } of objects)
    for (const [name, number] of named(text)) {
      const numbers = anywhere.get(name) ?? new Set();
      anywhere.set(name, numbers.add(number));
    }
  const known = new Map<string, number>();
  for (const object of objects) if (paintedBy(object, 0) > MAX_PAINTED) throw tooMany();

  /** Returns the number of pieces painted by an object, including itself. */
  function paintedBy({ text, content = "" }: PdfObject, depth: number): number {
    if (depth > MAX_DEPTH) throw tooMany();
    const counts = new Map<string, number>();
    for (const [, name = ""] of content.matchAll(/\/([^\s/[\]<>()]{1,128})\s+Do\b/g))
      counts.set(name, (counts.get(name) ?? 0) + 1);
    if (counts.size === 0) return 1;
    const own = /\/Type\s*\/XObject|\/Subtype\s*\/Form/.test(text)
      ? resourcesOf(text, byNumber)
      : "";
    const resources = new Map<string, Set<string>>();
    for (const [name, number] of named(own))
      resources.set(name, (resources.get(name) ?? new Set()).add(number));
    let painted = 1;
    for (const [name, count] of counts) {
      const targets = resources.get(name) ?? anywhere.get(name) ?? new Set();
      painted += count * Math.max(0, ...[...targets].map((each) => paintedAt(each, depth + 1)));
      if (painted > MAX_PAINTED) return painted;
    }
    return painted;
  }

  function paintedAt(number: string, depth: number): number {
    const before = known.get(number);
    if (before !== undefined) return before;
    // Forms that paint themselves are refused, because their number of pieces has no bound.
    known.set(number, Infinity);
    const forms = (byNumber.get(number) ?? []).filter(({ text }) => /\/Form\b/.test(text));
    const painted = Math.max(0, ...forms.map((form) => paintedBy(form, depth)));
    known.set(number, painted);
    return painted;
  }
}

/** Returns a dictionary's text, with the texts of its references. */
export function resourcesOf(
  text: string,
  byNumber: ReadonlyMap<string, readonly PdfObject[]>,
): string {
  const seen = new Set<string>();
  let all = text;
  let rest = [text];
  for (let step = 0; step < MAX_STEPS && rest.length > 0; step++) {
    const next: string[] = [];
    for (const each of rest)
      for (const [, number = ""] of each.matchAll(
        /(?:Resources|XObject)\s+(\d{1,10})\s+\d{1,5}\s+R/g,
      ))
        if (!seen.has(number)) {
          seen.add(number);
          next.push(...(byNumber.get(number) ?? []).map((object) => object.text));
        }
    all += next.join(" ");
    rest = next;
  }
  return all;
}

/** Yields names with their objects. */
export function* named(text: string): Generator<readonly [name: string, number: string]> {
  for (const [, name = "", number = ""] of text.matchAll(
    /\/([^\s/[\]<>()]{1,128})\s+(\d{1,10})\s+\d{1,5}\s+R/g,
  ))
    yield [name, number];
}

function tooMany(): EngineError {
  return new EngineError(
    "limit_exceeded",
    `the PDF has pages that are painted of more than ${MAX_PAINTED} pieces, or of pieces that paint themselves, which is too much to read`,
  );
}
