import { EngineError } from "./error.ts";

/** A definition in code or data that cannot be; the message says what was expected and what came. */
export function invalidDefinition(message: string): EngineError {
  return new EngineError("invalid_definition", message);
}
