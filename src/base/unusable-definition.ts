import { EngineError, type Issue } from "./error.ts";
import { MAX_ISSUES } from "./zod-issues.ts";

/** Creates the error for a definition with issues: the message names the first one and the number of the others. */
export function unusableDefinition(what: string, issues: readonly Issue[]): EngineError {
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : "";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new EngineError(
    "invalid_definition",
    `${what} cannot be used: ${where}${first?.message ?? ""}${more}`,
    { issues: issues.slice(0, MAX_ISSUES) },
  );
}
