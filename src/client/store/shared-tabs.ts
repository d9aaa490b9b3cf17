// Shares one connection for changes between all tabs of a browser.
//
//   TBS1. One visible tab reads, and passes its news to the others; when it closes, the next one reads.
//   TBS2. A tab hidden for a minute lets another one read. While all are hidden, no tab reads.
//   TBS3. A new tab receives the connection's state.
//   TBS4. In browsers without locks or channels, each visible tab reads for itself.
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/system.ts";
import type { ChangesConnection, ChangesSource, ChangesNews } from "./changes-source.ts";

/** Browser interfaces in use. */
export type Tab = {
  readonly document?: {
    readonly hidden: boolean;
    addEventListener(type: "visibilitychange", listener: () => void): void;
    removeEventListener(type: "visibilitychange", listener: () => void): void;
  };
  readonly navigator?: {
    readonly locks?: {
      request(
        name: string,
        options: { readonly signal: AbortSignal },
        work: () => Promise<void>,
      ): Promise<unknown>;
    };
  };
  readonly BroadcastChannel?: new (name: string) => {
    onmessage: ((event: { readonly data: unknown }) => void) | null;
    postMessage(data: unknown): void;
    close(): void;
  };
};

/** Options for hidden tabs. */
export type SharedTabsOptions = {
  /** Time until a hidden tab stops reading, in milliseconds. @default 60_000 */
  readonly hiddenMs?: number;
  readonly clock?: Clock;
};

const WHO_READS = "who reads?";

/**
 * For `changes` of `createClient`: all tabs of a browser share one connection for changes, open only while one of them
 * is visible. The name identifies the page and the signed-in person: tabs with the same name see the same runs.
 *
 * @example
 * const client = createClient({ url: "", changes: sharedTabs("inbox of Maya") });
 */
export function sharedTabs(
  name: string,
  options: SharedTabsOptions = {},
): (source: ChangesSource) => ChangesSource {
  const here: unknown = globalThis;
  return (source) => (tell, signal) =>
    readShared({ tab: here as Tab, name, ...options }, source, [tell, signal]);
}

/** Implements `sharedTabs`, with the tab as a parameter. */
export async function readShared(
  {
    tab: { document, navigator, BroadcastChannel: Channel },
    name,
    hiddenMs = 60_000,
    clock = systemClock,
  }: SharedTabsOptions & { readonly tab: Tab; readonly name: string },
  source: ChangesSource,
  [tell, signal]: Parameters<ChangesSource>,
): Promise<void> {
  const locks = Channel && navigator?.locks;
  const channel = locks && new Channel(name);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- channels have no target origin
  const say = (data: unknown): void => channel?.postMessage(data);
  /** State of this tab's own connection, while it reads. */
  let own: ChangesConnection | undefined;
  const hand = (news: ChangesNews): void => {
    if ("connection" in news) own = news.connection;
    tell(news);
    say(news);
  };
  if (channel !== undefined) {
    // oxlint-disable-next-line prefer-add-event-listener -- the smallest interface of every platform
    channel.onmessage = ({ data }) => {
      if (data !== WHO_READS) tell(data as ChangesNews);
      else if (own !== undefined) say({ connection: own });
    };
    say(WHO_READS);
  }
  while (!signal.aborted) {
    const turn = new AbortController();
    const end = (): void => turn.abort();
    signal.addEventListener("abort", end);
    const stop = onHidden({ document, hiddenMs, clock }, end);
    const read = async (): Promise<void> => {
      await source(hand, turn.signal);
      if (!signal.aborted) hand({ connection: { state: "paused" } });
      own = undefined;
    };
    const reading = locks ? locks.request(name, { signal: turn.signal }, read) : read();
    await reading.catch(() => undefined); // the turn ended before the lock was free
    stop();
    signal.removeEventListener("abort", end);
    await shown(document, signal);
  }
  channel?.close();
}

/** Calls `end` once the document has been hidden for `hiddenMs`, until the returned function is called. */
function onHidden(
  {
    document,
    hiddenMs,
    clock,
  }: Required<SharedTabsOptions> & { readonly document: Tab["document"] | undefined },
  end: () => void,
): () => void {
  let disarm: (() => void) | undefined;
  const look = (): void => {
    disarm?.();
    disarm = document?.hidden === true ? clock.after(hiddenMs, end) : undefined;
  };
  look();
  document?.addEventListener("visibilitychange", look);
  return () => {
    disarm?.();
    document?.removeEventListener("visibilitychange", look);
  };
}

/** Resolves once the document is visible, or the signal aborts. */
function shown(document: Tab["document"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document?.hidden === true && !signal.aborted) return;
      document?.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    document?.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}
