// Ids of traces and spans. They follow from the run and the event that opened the span, so any code can compute them:
// before the span is sent, and in another run.
import { sha256Hex } from "../base/sha256.ts";
import type { TracedPlace } from "../events/listener.ts";

/** Event that opens the span of a whole run. */
const ROOT = "run_started";

/** Identity of a span in any trace. */
export type SpanContext = { readonly traceId: string; readonly spanId: string };

/** Returns the trace of the run's caller, otherwise the run's own. */
export function traceIdOf(runId: string, parent: string | undefined): string {
  return contextOf(parent)?.traceId ?? sha256Hex(runId).slice(0, 32);
}

export function spanIdOf(runId: string, eventId = ROOT): string {
  return sha256Hex(`${runId}\n${eventId}`).slice(0, 16);
}

/** Returns the context of a valid `traceparent`. */
export function contextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId] = traceparent?.split("-") ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}

/** Returns the `traceparent` of a place in a run. The caller's sampling decision is passed on. */
export function traceparentOf({ runId, parent, eventId }: TracedPlace): string {
  const flags = parent?.split("-")[3] ?? "01";
  return `00-${traceIdOf(runId, parent)}-${spanIdOf(runId, eventId)}-${flags}`;
}
