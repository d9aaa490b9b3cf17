import { TERMINAL_EVENTS, type LiveEvent, type RunEvent } from "../../events/run-event.ts";
import type { RunHost } from "../run-host.ts";

const PAGE = 200;

export type FollowOptions = {
  /** Only events after this `seq`. @default 0 */
  readonly after?: number;
  /** Ends the stream also when the run waits, so that nothing is kept in memory meanwhile. @default false */
  readonly endOnWaiting?: boolean;
  /** Ends the stream after everything that is kept so far. @default false */
  readonly keptOnly?: boolean;
  readonly signal?: AbortSignal;
};

/** Everything that happened, then everything as it happens, without gap or double, up to the run's last event. */
export async function* follow(
  { reader, events }: Pick<RunHost, "reader" | "events">,
  options: FollowOptions = {},
): AsyncGenerator<RunEvent | LiveEvent> {
  const { endOnWaiting = false, keptOnly = false, signal } = options;
  const live: Array<RunEvent | LiveEvent> = [];
  let wake: (() => void) | undefined;
  const unsubscribe = events.subscribe((event) => {
    live.push(event);
    wake?.();
  });
  const onAbort = (): void => wake?.();
  signal?.addEventListener("abort", onAbort);
  try {
    let seq = options.after ?? 0;
    for (let page = reader.events(seq, PAGE); page.length > 0; page = reader.events(seq, PAGE)) {
      for (const event of page) {
        if (signal?.aborted) return;
        yield event;
        seq = event.seq;
        if (TERMINAL_EVENTS.has(event.type)) return;
      }
    }
    if (keptOnly || events.hasEndedBy(seq)) return;
    // From here on everything comes from the subscription, so that pieces of an answer keep their place among the events.
    live.splice(0, live.findLastIndex((event) => "seq" in event && event.seq <= seq) + 1);
    for (;;) {
      while (live.length > 0) {
        const event = live.shift();
        if (signal?.aborted) return;
        if (event === undefined || ("seq" in event && event.seq <= seq)) continue;
        yield event;
        if (!("seq" in event)) continue;
        seq = event.seq;
        if (TERMINAL_EVENTS.has(event.type)) return;
      }
      if (endOnWaiting && live.length === 0 && reader.record().status === "waiting") return;
      if (live.length === 0 && !signal?.aborted)
        await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      if (signal?.aborted) return;
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener("abort", onAbort);
  }
}
