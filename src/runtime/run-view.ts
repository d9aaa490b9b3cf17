import { isoTime } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { StepRecord, StepSummary } from "../journal/journal-store.ts";
import type { Step, Wait } from "./run.ts";

export function waitView({ key, wait }: StepSummary): Wait {
  if (wait === null) return { key, kind: "input" };
  const { kind, prompt, subject, data, schema, declinable, choices } = wait;
  const { dueAtMs, event, runId } = wait;
  return {
    key,
    kind,
    ...(prompt === undefined ? undefined : { prompt }),
    ...(subject === undefined ? undefined : { subject }),
    ...(data === undefined ? undefined : { data }),
    ...(schema === undefined ? undefined : { schema }),
    ...(declinable === undefined ? undefined : { declinable }),
    ...(choices === undefined ? undefined : { choices }),
    ...(dueAtMs === undefined ? undefined : { expiresAt: isoTime(dueAtMs) }),
    ...(event === undefined ? undefined : { event }),
    ...(runId === undefined ? undefined : { runId }),
  };
}

/** `omitted` is the length of what is left out because it is too long. */
export function stepView(row: StepSummary, whole?: StepRecord, omitted?: number): Step {
  const { key, kind, label, parent, state, attempt, startedAtMs, endedAtMs, bytes, error } = row;
  return {
    key,
    kind,
    ...(label === null ? undefined : { label }),
    ...(parent === null ? undefined : { parent }),
    state,
    attempt,
    startedAt: isoTime(startedAtMs),
    ...(endedAtMs === null ? undefined : { endedAt: isoTime(endedAtMs) }),
    bytes,
    ...(whole?.value == null ? undefined : { value: JSON.parse(whole.value) as JsonValue }),
    ...(whole?.request == null ? undefined : { request: JSON.parse(whole.request) as JsonValue }),
    ...(omitted === undefined ? undefined : { omitted }),
    ...(error === null ? undefined : { error }),
  };
}
