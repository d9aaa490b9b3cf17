import { CORE_EVENT_TYPES } from "../events/run-event.ts";
import type { Part } from "./part.ts";

/** The types of the events that runs of an app emit, for checking the types that a request names. */
export function eventTypesOf(parts: readonly Part[]): ReadonlySet<string> {
  return new Set([...CORE_EVENT_TYPES, ...parts.flatMap(({ events = [] }) => [...events])]);
}
