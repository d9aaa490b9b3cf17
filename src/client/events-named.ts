import type { EventType, LiveEvent, RunEvent } from "../feature-events.ts";

type AnyEvent = RunEvent | LiveEvent;

/** The types that a name stands for: `task_*` for all that begin so. */
type Matching<Name extends string> = Name extends `${infer Prefix}*`
  ? Extract<EventType, `${Prefix}${string}`>
  : Extract<EventType, Name>;

/** The events that are asked for by these names; all of them where the names are not known when the program is written. */
export type EventsNamed<Names extends readonly string[]> = string extends Names[number]
  ? AnyEvent
  : Extract<AnyEvent, { readonly type: Matching<Names[number]> }>;
