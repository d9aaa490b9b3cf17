import type { LiveEvent, RunEvent } from "../feature-events.ts";
import type { EventPage } from "../runtime/event-page.ts";
import { eventStreamParser } from "./event-stream-parser.ts";
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

/** A page, and how the Worker answers. */
export type FetchedPage = EventPage & {
  /** False where the Worker answers at once, whatever it was asked. */
  readonly hasWaited: boolean;
};

/** One page of a run's kept events. A Worker without pages sends them as a stream that ends, which is read whole. */
export async function eventPage(
  transport: Transport,
  runPath: string,
  { slim, signal, waitSeconds, types, ...query }: EventPageOptions,
): Promise<FetchedPage> {
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
  const { after = 0, before = Infinity } = query;
  const nothing = { items: [], next: after, more: false, hasWaited };
  if (response.status === 204) return { ...nothing, ended: true };
  if (/json/.test(response.headers.get("content-type") ?? ""))
    return { ...(await readJson<EventPage>(response)), hasWaited };
  const items = eventStreamParser()(await response.text())
    .map(({ data }) => JSON.parse(data) as RunEvent | LiveEvent)
    .filter((event): event is RunEvent => "seq" in event && event.seq < before);
  return { ...nothing, items, next: items.at(-1)?.seq ?? after };
}
