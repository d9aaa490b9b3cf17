import type { EventPage } from "../runtime/event-page.ts";
import { readJson, type Transport } from "./transport.ts";

/** Filter of a page of a run's stored events. */
export type EventPageOptions = {
  /** Only events after this `seq`. */
  readonly after?: number;
  /** Only events before this `seq`. */
  readonly before?: number;
  /** At most 500. */
  readonly limit?: number;
  /** `desc`: the newest first. @default "asc" */
  readonly order?: "asc" | "desc";
  /** Only these types, without wildcards. */
  readonly types?: readonly string[];
  /** Only events of this step and of the steps below it. */
  readonly path?: string;
  /** Cuts long texts; such an event has `cut: true`. */
  readonly slim?: boolean;
  /** Seconds to wait for an event, at most 20. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal | undefined;
};

/** A page, with details of the answer. */
export type FetchedPage = EventPage & {
  /** False if the Worker answered at once despite the requested wait. */
  readonly hasWaited: boolean;
};

/** Reads one page of a run's stored events. */
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
  if (response.status !== 204) return { ...(await readJson<EventPage>(response)), hasWaited };
  return { items: [], next: query.after ?? 0, more: false, ended: true, hasWaited };
}
