import { createParser } from "eventsource-parser";
import type { LiveEvent, RunEvent } from "../feature-events.ts";
import { readJson, type Transport } from "./transport.ts";

/** Which kept events of a run a page has. */
export type EventPageOptions = {
  /** Only events after this `seq`. */
  readonly after?: number;
  /** Only events before this `seq`. */
  readonly before?: number;
  /** At most 500. */
  readonly limit?: number;
  /** `desc`: the newest first. @default "asc" */
  readonly order?: "asc" | "desc";
  /** Only these types, by their whole names. */
  readonly types?: readonly string[];
  /** Only events of this step and of the steps below it. */
  readonly path?: string;
  /** Long texts are cut, and the event has `cut: true`. */
  readonly slim?: boolean;
  /** Waits so many seconds for an event, at most 20. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal | undefined;
};

export type EventPage = {
  readonly items: readonly RunEvent[];
  readonly nextCursor?: string;
  /** False where the Worker answers at once, whatever it was asked. */
  readonly hasWaited: boolean;
};

/** One page of a run's kept events. A Worker without pages sends them as a stream that ends, which is read whole. */
export async function eventPage(
  transport: Transport,
  runPath: string,
  { slim, signal, waitSeconds, types, ...query }: EventPageOptions,
): Promise<EventPage> {
  const response = await transport.send(`${runPath}/events`, {
    query: { ...query, types, slim: slim === true ? 1 : undefined },
    headers: {
      accept: "application/json",
      ...(waitSeconds === undefined ? undefined : { prefer: `wait=${waitSeconds}` }),
    },
    signal,
    attempts: 1,
    isSlow: true,
  });
  const hasWaited = response.headers.get("preference-applied") !== null;
  if (response.status === 204) return { items: [], hasWaited };
  if (/json/.test(response.headers.get("content-type") ?? ""))
    return { ...(await readJson<Omit<EventPage, "hasWaited">>(response)), hasWaited };
  const { before = Infinity } = query;
  const items = eventsIn(await response.text()).filter(
    (event): event is RunEvent => "seq" in event && event.seq < before,
  );
  return { items, hasWaited };
}

function eventsIn(text: string): readonly (RunEvent | LiveEvent)[] {
  const events: (RunEvent | LiveEvent)[] = [];
  const parser = createParser({
    onEvent: ({ data }) => events.push(JSON.parse(data) as RunEvent | LiveEvent),
  });
  parser.feed(text);
  return events;
}
