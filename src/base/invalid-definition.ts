import { EngineError } from "./error.ts";

/** Creates the error for an invalid definition in code or data; the message names the expected and the actual value. */
export function invalidDefinition(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
