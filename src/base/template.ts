// Placeholders in texts written by people: task descriptions, roles, prompts, file names.
//
//   T1. A placeholder is `{`, a letter or underscore, then letters, digits, underscores or hyphens, and `}`. Letters and
//       digits are of any script.
//   T2. Any other brace is ordinary text, so JSON and code survive.
//   T3. Replacement is one pass and literal: inserted text is never scanned again.
//   T4. The length of a filled text is computed before it is filled, and bounded: a name can occur in a text many
//       times.
//   T5. A placeholder in other letters than those of ASCII is optional: texts of earlier versions have such braces as
//       ordinary text.
import { EngineError } from "./error.ts";

const PLACEHOLDER = /\{([\p{L}_][\p{L}\p{M}\p{N}_-]*)\}/gu;

/** The names of a text's placeholders that need a value, each once, in order of appearance (T5). */
export function placeholders(text: string): string[] {
  const names = Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? "");
  return [...new Set(names.filter((name) => !isOptionalName(name)))];
}

/** True for a placeholder that stays text without a value (T5). */
export function isOptionalName(name: string): boolean {
  return !/^[\w-]+$/.test(name);
}

/** Maximum length of a text with its placeholders filled, in UTF-16 units. */
const MAX_FILLED_LENGTH = 4 * 1024 * 1024;

/**
 * Replaces each placeholder by its value; a placeholder without a value stays unchanged. `valueOf` is called once for
 * each name. Throws `value_too_large` for a result longer than 4 Mi characters.
 */
export function replacePlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  if (!text.includes("{")) return text;
  const values = new Map<string, string | undefined>();
  // Text and names by turns.
  const pieces = text.split(PLACEHOLDER);
  let length = text.length;
  for (let index = 1; index < pieces.length; index += 2) {
    const name = pieces[index] ?? "";
    if (!values.has(name)) values.set(name, valueOf(name));
    const filled = values.get(name) ?? `{${name}}`;
    length += filled.length - name.length - 2;
    pieces[index] = filled;
  }
  if (length > MAX_FILLED_LENGTH)
    throw new EngineError(
      "value_too_large",
      `a text with its placeholders filled may have ${MAX_FILLED_LENGTH} characters, got ${length}: shorten the inputs, or name them less often`,
    );
  return pieces.join("");
}
