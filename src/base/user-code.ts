import { EngineError, errorMessage } from "./error.ts";
import { PlatformFault } from "./platform-fault.ts";

/**
 * Runs a function of the user's. What it throws says which function threw, as `user_code_failed`, with the original as its `cause`; errors
 * thrown on purpose pass.
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
