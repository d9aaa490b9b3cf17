import { EngineError } from "../base/error.ts";

/**
 * Checks the names in the second argument of a function whose settings are in the first. Fails with
 * `invalid_definition`: plain JavaScript has no other sign of a misplaced setting.
 */
export function checkSecondArgument(call: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new EngineError(
    "invalid_definition",
    `the second argument of ${call} takes ${known.join(", ")}, got ${unknown.join(", ")}: settings are fields of the first`,
  );
}
