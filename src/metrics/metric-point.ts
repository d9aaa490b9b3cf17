// Data points: one for each ended run, and one for each of its model calls.
import type { EndedRun } from "../runtime/run-sums.ts";

/** A point in the form of a Workers Analytics Engine data set. */
export type MetricPoint = {
  /** The tenant. */
  readonly indexes: readonly [string];
  /** Kind, name, status, model (empty for the whole run), version of the code, error code. */
  readonly blobs: readonly [string, string, string, string, string, string];
  /** Duration in ms, tokens, cost in US dollars, steps, retries, time in the queue in ms. */
  readonly doubles: readonly [number, number, number, number, number, number];
};

/** Receives points. Must neither wait nor throw. */
export type MetricSink = { readonly write: (point: MetricPoint) => void };

/** Maximum number of points, below the limit of a Worker's invocation to leave room for other runs. */
const MAX_CALLS = 200;

/**
 * Returns the points of a run without its children, whose usage has points of its own. Includes at most 200 model
 * calls.
 */
export function pointsOf(run: EndedRun): readonly MetricPoint[] {
  const { tenant, kind, name, status, createdAtMs, startedAtMs, finishedAtMs } = run;
  const version = run.codeVersion ?? "";
  const calls: MetricPoint[] = [];
  const sum = { steps: 0, retries: 0, tokens: 0, costUsd: 0 };
  for (const step of run.steps()) {
    const { usage, wait, attempt, kind: stepKind, label, state, error } = step;
    sum.steps++;
    const retries = Math.max(0, attempt - 1);
    sum.retries += retries;
    const own = wait === null ? usage : null;
    sum.tokens += own?.totalTokens ?? 0;
    sum.costUsd += own?.costUsd ?? 0;
    if (stepKind !== "model") continue;
    if (calls.length === MAX_CALLS) continue;
    const durationMs = Math.max(0, (step.endedAtMs ?? finishedAtMs) - step.startedAtMs);
    const callStatus = state === "done" ? "completed" : state === "error" ? "failed" : "cancelled";
    calls.push({
      indexes: [tenant],
      blobs: [kind, name, callStatus, label ?? "", version, error?.code ?? ""],
      doubles: [durationMs, own?.totalTokens ?? 0, own?.costUsd ?? 0, 1, retries, 0],
    });
  }
  const beganMs = startedAtMs ?? finishedAtMs;
  const whole: MetricPoint = {
    indexes: [tenant],
    blobs: [kind, name, status, "", version, run.errorCode ?? ""],
    doubles: [
      finishedAtMs - beganMs,
      sum.tokens,
      sum.costUsd,
      sum.steps,
      sum.retries,
      Math.max(0, beganMs - createdAtMs),
    ],
  };
  return [whole, ...calls];
}
