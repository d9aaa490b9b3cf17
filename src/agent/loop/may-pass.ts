import { EngineError, type ErrorCode } from "../../base/error.ts";

/**
 * Failures of one execution that a further one may not repeat: failures of tools, of code and of an agent's own limits.
 * The model call itself retries its failures.
 */
const MAY_PASS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "tool_failed",
  "agent_failed",
  "user_code_failed",
  "internal",
]);

/** True for failures that another execution may not repeat. Errors other than engine errors are among them. */
export function mayPass(failure: unknown): boolean {
  return EngineError.is(failure) ? MAY_PASS.has(failure.code) : true;
}
