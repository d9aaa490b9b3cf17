// Regular expressions in definitions.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { linearPattern, type LinearPattern } from "../../base/linear-pattern.ts";
import { preview } from "../../base/json.ts";

/** Reads a pattern. Throws `invalid_definition` for an invalid pattern, and for one that cannot run in linear time. */
export function textPattern(
  source: unknown,
  options: { readonly ignoreCase?: boolean } = {},
): LinearPattern {
  const prefix = options.ignoreCase === true ? "(?i)" : "";
  const pattern = typeof source === "string" ? linearPattern(`${prefix}${source}`) : undefined;
  if (pattern !== undefined) return pattern;
  throw invalidDefinition(
    `expected a regular expression without look-around and back references, got ${preview(source)}`,
  );
}

/** Returns a text with every match replaced. */
export function replacedMatches(pattern: LinearPattern, text: string, replacement: string): string {
  let result = "";
  let from = 0;
  for (const { start, end } of pattern.spans(text)) {
    result += `${text.slice(from, start)}${replacement}`;
    from = end;
  }
  return `${result}${text.slice(from)}`;
}
