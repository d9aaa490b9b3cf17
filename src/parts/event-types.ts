import { CORE_EVENT_TYPES } from "../events/run-event.ts";
import type { Part } from "./part.ts";

/** The event types that runs of an app can emit: those of the core and of its parts. */
export function eventTypesOf(parts: readonly Part[]): ReadonlySet<string> {
  return new Set([...CORE_EVENT_TYPES, ...parts.flatMap(({ events = [] }) => [...events])]);
}
