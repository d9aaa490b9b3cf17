import type { EventType, LiveEvent, RunEvent } from "../feature-events.ts";

type AnyEvent = RunEvent | LiveEvent;

/** Event types for a name: `task_*` stands for all types with this prefix. */
type Matching<Name extends string> = Name extends `${infer Prefix}*`
  ? Extract<EventType, `${Prefix}${string}`>
  : Extract<EventType, Name>;

/** Events with these names; all events if the names are unknown at compile time. */
export type EventsNamed<Names extends readonly string[]> = string extends Names[number]
  ? AnyEvent
  : Extract<AnyEvent, { readonly type: Matching<Names[number]> }>;
