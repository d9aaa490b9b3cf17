import { EngineError, errorMessage } from "./error.ts";
import { PlatformFault } from "./platform-fault.ts";

/**
 * Runs a function of the user. An exception becomes `user_code_failed`, which names the function and has the original
 * as its `cause`; engine errors pass unchanged.
 */
export async function userCode<T>(what: string, code: () => T | Promise<T>): Promise<T> {
  try {
    return await code();
  } catch (error) {
    if (EngineError.is(error) || PlatformFault.is(error)) throw error;
    throw new EngineError("user_code_failed", `${what} threw: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
