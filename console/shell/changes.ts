// What changes in the tenant's runs, for every page of every tab: one stream per browser, which the tab that holds the lock
// reads and hands on. A Worker without `/changes` is asked every few seconds instead.
import { EngineError } from "../../src/client/index.ts";
import { serverSentEvents } from "../../src/client/event-source.ts";
import { systemClock } from "../../src/base/system.ts";
import type { RunRow } from "../api-types.ts";
import { api } from "../api.ts";
import { Watched } from "./watched.ts";

export type Connection =
  | { readonly state: "connecting" | "live" | "polling" | "offline" | "paused" }
  | { readonly state: "retrying"; readonly inMs: number };

/** A run that is new or different; `undefined` says only that something may have changed. */
export type Change = { readonly run?: RunRow; readonly gone?: string };
type Listener = (change: Change) => void;
type Handed = { readonly change?: Change; readonly connection?: Connection };

const POLL_MS = 3_000;
const HIDDEN_MS = 60_000;
const CHANNEL = "edgecrew-changes";

export const connection = new Watched<Connection>({ state: "connecting" });
const listeners = new Set<Listener>();
let position: number | undefined;

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function deliver({ change, connection: now }: Handed): void {
  if (now !== undefined) connection.set(now);
  if (change !== undefined) for (const listener of listeners) listener(change);
}

/** Begins to follow; the answer ends it. Called once, when somebody is signed in. */
export function followChanges(): () => void {
  const ended = new AbortController();
  const channel =
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(CHANNEL);
  const hand = (handed: Handed): void => {
    deliver(handed);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel?.postMessage(handed);
  };
  channel?.addEventListener("message", ({ data }: MessageEvent<Handed>) => deliver(data));
  const lead = (): Promise<void> => readWhileVisible(hand, ended.signal);
  if (navigator.locks === undefined) void lead();
  else navigator.locks.request(CHANNEL, { signal: ended.signal }, lead).catch(() => undefined); // the page ends before the lock was free
  return () => {
    ended.abort();
    channel?.close();
  };
}

/** A hidden tab lets go of its stream after a minute, and goes on from its position. */
async function readWhileVisible(
  hand: (handed: Handed) => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const reading = new AbortController();
    const stop = watchVisibility(() => reading.abort());
    const both = AbortSignal.any([signal, reading.signal]);
    try {
      await readOnce(hand, both);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!both.aborted) {
        if (EngineError.is(error) && (error.code === "unauthorized" || error.code === "forbidden"))
          return;
        failures += 1;
        const inMs = Math.min(15_000, 500 * 2 ** (failures - 1));
        hand({ connection: navigator.onLine ? { state: "retrying", inMs } : { state: "offline" } });
        await pause(inMs, signal);
      }
    } finally {
      stop();
    }
    if (document.hidden && reading.signal.aborted) {
      hand({ connection: { state: "paused" } });
      await visible(signal);
    }
  }
}

async function readOnce(hand: (handed: Handed) => void, signal: AbortSignal): Promise<void> {
  let response: Response;
  try {
    response = await api.changeStream(position, signal);
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    return poll(hand, signal);
  }
  if (response.body === null || !response.headers.get("content-type")?.includes("event-stream"))
    return poll(hand, signal);
  hand({ connection: { state: "live" } });
  for await (const { data } of serverSentEvents(response.body, systemClock, signal).messages) {
    const row = JSON.parse(data) as RunRow & { readonly change?: number };
    position = row.change ?? position;
    if (row.kind !== undefined) hand({ change: { run: row } });
    else if (row.id !== undefined) hand({ change: { gone: row.id } });
    else hand({ change: {} });
  }
}

/** Looks at the newest runs, and at once when the tab is looked at again. */
async function poll(hand: (handed: Handed) => void, signal: AbortSignal): Promise<void> {
  const seen = new Map<string, string>();
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const { items } = await api.runs({ limit: 20 }, signal);
    hand({ connection: { state: "polling" } });
    for (const run of items.toReversed()) {
      const mark = `${run.updatedAt} ${run.status}`;
      if (!isFirst && seen.get(run.id) !== mark) hand({ change: { run } });
      seen.set(run.id, mark);
    }
    await pause(POLL_MS, signal);
  }
}

function watchVisibility(onHidden: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(onHidden, HIDDEN_MS);
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

function visible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
    look();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
