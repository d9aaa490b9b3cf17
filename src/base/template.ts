// Placeholders in texts that people write: task descriptions, roles, prompts, file names.
//
//   T1. A placeholder is `{`, a letter or underscore, then letters, digits, underscores or hyphens, and `}`.
//   T2. Any other brace is ordinary text, so JSON and code survive.
//   T3. Replacement is one pass and literal: inserted text is never scanned again.

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;

/** The names of a text's placeholders, each once, in order of appearance. */
export function placeholders(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), (match) => match[1] ?? ""))];
}

/** Replaces each placeholder by its value; a placeholder without a value stays as it is. */
export function replacePlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => valueOf(name) ?? whole);
}
