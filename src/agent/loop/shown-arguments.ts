// The arguments of a call as shown to the person who approves it.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** From which length on values are cut, in characters, and how far: until the whole is short enough to be read. */
const LIMITS = [2_000, 400, 80, 24];
const MAX_SHOWN = 4_000;

/** Invisible characters and those that reorder text: controls, direction marks, fillers. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;

/** Returns the text with hidden characters as escapes, such as `\u202e`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Shows arguments as text with every field. Too long values show only their beginning; `cut` has their places. */
export function showArguments(input: JsonObject): {
  readonly text: string;
  readonly cut: readonly string[];
} {
  let shown = { text: visible(JSON.stringify(input)), cut: [] as string[] };
  for (const limit of LIMITS) {
    if (shown.text.length <= MAX_SHOWN) break;
    const cut: string[] = [];
    shown = { text: visible(JSON.stringify(shortened(input, { limit, path: "", cut }))), cut };
  }
  return shown;
}

type Shortening = { readonly limit: number; readonly path: string; readonly cut: string[] };

function shortened(value: JsonValue, { limit, path, cut }: Shortening): JsonValue {
  if (typeof value === "string") {
    if (value.length <= limit) return value;
    cut.push(path);
    const left = value.length - limit;
    return `${value.slice(0, limit).toWellFormed()}… [cut: ${left} of ${value.length} characters]`;
  }
  if (Array.isArray(value))
    return value.map((each: JsonValue, index) =>
      shortened(each, { limit, path: `${path}/${index}`, cut }),
    );
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      shortened(each, { limit, path: `${path}/${name}`, cut }),
    ]),
  );
}
