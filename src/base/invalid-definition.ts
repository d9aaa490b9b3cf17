import { EngineError } from "./error.ts";

/** The error for an invalid definition in code or data; the message says what was expected and what came. */
export function invalidDefinition(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
