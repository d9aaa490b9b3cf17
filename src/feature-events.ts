// The events of every feature, for programs that read events of any run. Importing a type from here merges the payloads
// of all features into `EventPayloads`.
export type * from "./agent/events.ts";
export type * from "./conversation/events.ts";
export type * from "./crew/events.ts";
export type * from "./evaluation/events.ts";
export type * from "./files/events.ts";
export type * from "./flow/conversational/events.ts";
export type * from "./flow/events.ts";
export type * from "./hooks/events.ts";
export type * from "./knowledge/events.ts";
export type * from "./memory/events.ts";
export type * from "./protocols/a2a/events.ts";
export type * from "./protocols/mcp/client/events.ts";
export type * from "./protocols/a2a/artifacts/events.ts";
export type * from "./protocols/mcp/server/events.ts";
export type * from "./tools/events.ts";
export type { EventType, LiveEvent, RunEvent } from "./events/run-event.ts";
