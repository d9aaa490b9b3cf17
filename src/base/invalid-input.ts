import { EngineError, type Issue } from "./error.ts";

/** The whole body or query is wrong, or one field of it. */
export function invalidInput(what: string, issues: readonly Issue[]): EngineError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const detail =
    first === undefined
      ? what
      : `${what}: ${first.path === "" ? "" : `${first.path} `}${first.message}${more}`;
  return new EngineError("invalid_input", detail, { issues });
}
