// Named values in the input texts: keys of JSON, and `Label: value` lines.
import { parsedJson, type JsonValue } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { nameWords } from "../../text/index.ts";
import { plain } from "./words.ts";

export type Fact = { readonly label: string; readonly value: JsonValue };

/** Facts by `factKey` of their labels; the first text with a fact wins. */
export type Facts = ReadonlyMap<string, Fact>;

const MAX_LABEL_WORDS = 4;

export function factsOf(texts: readonly string[]): Facts {
  const facts = new Map<string, Fact>();
  for (const text of texts) {
    const json = parseJson(text);
    const found = json === undefined ? labelled(text) : entriesOf(json);
    for (const fact of found)
      if (!facts.has(factKey(fact.label))) facts.set(factKey(fact.label), fact);
  }
  return facts;
}

/** `orderNumber`, `Order number` and `order_number` are one key. */
export function factKey(label: string): string {
  return nameWords(label).join("");
}

export function parseJson(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  return parsedJson(text);
}

function entriesOf(json: JsonValue): Fact[] {
  if (!isJsonObject(json)) return [];
  const own = Object.entries(json).map(([label, value]) => ({ label, value }));
  return [...own, ...own.flatMap(({ value }) => (isJsonObject(value) ? entriesOf(value) : []))];
}

function labelled(text: string): Fact[] {
  return text.split("\n").flatMap((line) => {
    const [, label = "", value = ""] =
      /^(\p{L}[\p{L}\p{M}\p{N} _/-]{0,40})(?::\s+|：\s*)(\S.*)$/u.exec(plain(line)) ?? [];
    return value === "" || label.trim().split(/\s+/).length > MAX_LABEL_WORDS
      ? []
      : [{ label, value: value.trim() }];
  });
}
