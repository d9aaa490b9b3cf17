// Adds values to wrangler's configuration in JSON with comments.
//
//   MGC1. Existing values and comments stay: values are added, never replaced.
//   MGC2. Named items of lists are the same item if their names are the same; others if they are equal.
import { applyEdits, modify, parse as parseJsonc, type ModificationOptions } from "jsonc-parser";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

type Path = readonly (string | number)[];

/** Returns the text with these values added. */
export function mergedConfig(text: string, values: JsonObject): string {
  return Object.entries(values).reduce((all, [key, value]) => merged(all, [key], value), text);
}

function merged(text: string, path: Path, value: JsonValue): string {
  const present = at(parseJsonc(text, [], { allowTrailingComma: true }) as JsonValue, path);
  if (present === undefined) return edited(text, path, value);
  if (isJsonObject(present) && isJsonObject(value))
    return Object.entries(value).reduce(
      (all, [key, inner]) => merged(all, [...path, key], inner),
      text,
    );
  if (Array.isArray(present) && Array.isArray(value))
    return value.reduce<string>((all, item) => withItem(all, path, item), text);
  return text;
}

function withItem(text: string, path: Path, item: JsonValue): string {
  const list = at(parseJsonc(text, [], { allowTrailingComma: true }) as JsonValue, path);
  if (!Array.isArray(list)) return text;
  const index = list.findIndex((each) => isSame(each, item));
  return index === -1
    ? edited(text, [...path, list.length], item)
    : merged(text, [...path, index], item);
}

const NAMES = ["binding", "name", "queue", "tag"] as const;

function isSame(one: JsonValue, other: JsonValue): boolean {
  if (!isJsonObject(one) || !isJsonObject(other))
    return JSON.stringify(one) === JSON.stringify(other);
  const name = NAMES.find((each) => other[each] !== undefined);
  return name !== undefined && one[name] === other[name];
}

function at(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, key) => {
    if (Array.isArray(inner) && typeof key === "number") return inner[key];
    return isJsonObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, value);
}

function edited(text: string, path: Path, value: JsonValue): string {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const options: ModificationOptions = {
    formattingOptions: {
      insertSpaces: !indent.startsWith("\t"),
      tabSize: indent.startsWith("\t") ? 1 : indent.length,
      eol: text.includes("\r\n") ? "\r\n" : "\n",
    },
    isArrayInsertion: typeof path.at(-1) === "number",
    // Environments come last, as they repeat the fields above.
    getInsertionIndex: (properties) => {
      const env = path.length === 1 ? properties.indexOf("env") : -1;
      return env === -1 ? properties.length : env;
    },
  };
  return applyEdits(text, modify(text, [...path], value, options));
}
