import { EngineError, errorMessage } from "./error.ts";
import { PlatformFault } from "./platform-fault.ts";

/**
 * Runs a function of the user. An exception becomes `user_code_failed`, which names the function and has the original
 * as its `cause`; engine errors pass unchanged. `frozen` is the advice for a function that changes a frozen value.
 */
export async function userCode<T>(
  what: string,
  code: () => T | Promise<T>,
  frozen?: string,
): Promise<T> {
  try {
    return await code();
  } catch (error) {
    if (EngineError.is(error) || PlatformFault.is(error)) throw error;
    const advice = frozen !== undefined && changesFrozen(error) ? `; ${frozen}` : "";
    throw new EngineError("user_code_failed", `${what} threw: ${errorMessage(error)}${advice}`, {
      cause: error,
    });
  }
}

/** True for the error of code that changes a frozen object or array, as V8 words it. */
export function changesFrozen(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /read only property|not extensible|Cannot (?:add|define|delete|redefine) property/.test(
      error.message,
    )
  );
}
