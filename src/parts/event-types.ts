import { CORE_EVENT_TYPES } from "../events/run-event.ts";
import type { Part } from "./part.ts";

/** Returns the event types of an app's runs: those of the core and of its parts. */
export function eventTypesOf(parts: readonly Part[]): ReadonlySet<string> {
  return new Set([...CORE_EVENT_TYPES, ...parts.flatMap(({ events = [] }) => [...events])]);
}
