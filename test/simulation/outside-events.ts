// Events from outside: how a part of a program waits for one, as data, and what is sent to its run.
import * as fc from "fast-check";
import * as z from "zod";
import type { JsonValue } from "../../src/base/json.ts";
import type { RunScope } from "../../src/events/run-scope.ts";
import { waitForEvent, type EventWait } from "../../src/flow/flow-waits.ts";
import { joinKey } from "../../src/journal/step-key.ts";

export type EventNode = {
  readonly type: "event";
  readonly name: string;
  readonly event: EventName;
  readonly dueMs: number | null;
  readonly otherwise: boolean;
  /** Takes texts alone. */
  readonly strict: boolean;
};

export const EVENT_NAMES = ["paid", "left"] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** An event that a client sends to the run. Two with one id are one, whatever is in them. */
export type SentEvent = {
  readonly atMs: number;
  readonly name: EventName;
  /** False for one that a strict wait does not take. */
  readonly fits: boolean;
  /** Null for an event without an id, which is sent once, whether it arrives or not. */
  readonly id: number | null;
};

const TEXT = z.string();

/** Waits for the event at `scope`. */
export async function hear(
  { event, dueMs, otherwise, strict }: EventNode,
  scope: RunScope,
): Promise<JsonValue> {
  const wait: EventWait<JsonValue> = {
    ...(strict ? { schema: TEXT } : {}),
    ...(dueMs === null ? {} : { timeoutSeconds: dueMs / 1000 }),
    ...(otherwise ? { otherwise: "nobody" } : {}),
  };
  return { heard: await waitForEvent(scope, event, wait) };
}

/** The key of the wait of a node at `key`. */
export function eventWaitKey({ event }: EventNode, key: string): string {
  return joinKey(key, `event:${event}`);
}

export function eventsOver(name: fc.Arbitrary<string>): fc.Arbitrary<EventNode> {
  return fc.record({
    type: fc.constant("event" as const),
    name,
    event: fc.constantFrom(...EVENT_NAMES),
    dueMs: fc.constantFrom(null, null, null, 1, 5, 1_000, 60_000, 3 * 86_400_000),
    otherwise: fc.boolean(),
    strict: fc.boolean(),
  });
}

export function sentEvents(moment: fc.Arbitrary<number>): fc.Arbitrary<readonly SentEvent[]> {
  return fc.array(
    fc.record({
      atMs: moment,
      name: fc.constantFrom(...EVENT_NAMES),
      fits: fc.constantFrom(true, true, true, false),
      id: fc.option(fc.nat({ max: 5 }), { freq: 6 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
}
