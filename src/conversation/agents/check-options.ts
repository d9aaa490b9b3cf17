// Faults of an agent's options, found when it is defined.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { memberNameFault } from "../names.ts";
import type { HumanInputMode } from "../termination.ts";

/** Returns the name if a member can have it. Throws `invalid_definition`. */
export function checkedName(name: unknown): string {
  const fault = typeof name === "string" ? memberNameFault(name) : "expected a text";
  if (fault !== undefined)
    throw invalidDefinition(`an agent: name: ${fault}, got ${preview(name)}`);
  return String(name);
}

/** Returns the mode if it exists. Throws `invalid_definition`. */
export function checkedMode(mode: unknown, name: string): HumanInputMode {
  if (mode === "ALWAYS" || mode === "NEVER" || mode === "TERMINATE") return mode;
  throw faultOf(
    name,
    `humanInputMode must be "ALWAYS", "NEVER" or "TERMINATE", got ${preview(mode)}`,
  );
}

/** Returns the limit of replies if it is valid. Throws `invalid_definition`. */
export function checkedReplyLimit(value: number, name: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw faultOf(name, `maxConsecutiveAutoReply must be an integer >= 0, got ${preview(value)}`);
}

/** Throws `invalid_definition` for a timeout below 1 second or one that is not an integer. */
export function checkTimeout(seconds: unknown, name: string): void {
  if (seconds === undefined || (Number.isInteger(seconds) && Number(seconds) >= 1)) return;
  throw faultOf(name, `humanInputTimeout must be an integer >= 1, got ${preview(seconds)}`);
}

/** Makes the error for a fault of an agent. */
export function faultOf(name: string, message: string): Error {
  return invalidDefinition(`agent "${name}": ${message}`);
}
