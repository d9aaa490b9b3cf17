import { useSyncExternalStore } from "react";
import { formatAge, formatDuration } from "./format.ts";

let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(onTick: () => void): () => void {
  watchers.add(onTick);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const watcher of watchers) watcher();
  }, 1000);
  return () => {
    watchers.delete(onTick);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of day, once a second; one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

/** Elapsed time, with the moment in the reader's zone and in UTC on hover. */
export function Age({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={`${new Date(ms).toLocaleString()} · ${at}`}>
      {formatAge(useNow() - ms)}
    </time>
  );
}

export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(useNow()).toDateString();
  return (
    <time dateTime={at} title={at}>
      {isToday
        ? date.toLocaleTimeString()
        : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}

/** A duration. It grows while there is no end. */
export function Duration({
  from,
  to,
}: {
  readonly from: string;
  readonly to?: string | undefined;
}) {
  return to === undefined ? (
    <Growing from={from} />
  ) : (
    <>{formatDuration(Date.parse(to) - Date.parse(from))}</>
  );
}

function Growing({ from }: { readonly from: string }) {
  return <>{formatDuration(Math.max(0, useNow() - Date.parse(from)))}</>;
}
