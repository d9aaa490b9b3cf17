import { EngineError, type ErrorCode } from "../../base/error.ts";

/**
 * Failures of one execution that going on may leave behind: those of tools, of code and of an agent's own limits. What a model failed at
 * was tried again by its call, as often as that helps.
 */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "tool_failed",
  "agent_failed",
  "user_code_failed",
  "internal",
]);

/** True for failures that another execution of the work may not meet. What was not thrown on purpose is one of them. */
export function mayPass(failure: unknown): boolean {
  return EngineError.is(failure) ? MAY_PASS.has(failure.code) : true;
}
