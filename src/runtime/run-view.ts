import { isoTime } from "../base/clock.ts";
import type { StepSummary } from "../journal/journal-store.ts";
import type { Step, Wait } from "./run.ts";

export function waitView({ key, wait }: StepSummary): Wait {
  if (wait === null) return { key, kind: "input" };
  const { kind, prompt, subject, data, schema, declinable, needsFeedback, choices, freeText } =
    wait;
  const { dueAtMs, event, runId } = wait;
  return {
    key,
    kind,
    ...(prompt === undefined ? undefined : { prompt }),
    ...(subject === undefined ? undefined : { subject }),
    ...(data === undefined ? undefined : { data }),
    ...(schema === undefined ? undefined : { schema }),
    ...(declinable === undefined ? undefined : { declinable }),
    ...(needsFeedback === undefined ? undefined : { needsFeedback }),
    ...(freeText === undefined ? undefined : { freeText }),
    ...(choices === undefined ? undefined : { choices }),
    ...(dueAtMs === undefined ? undefined : { expiresAt: isoTime(dueAtMs) }),
    ...(event === undefined ? undefined : { event }),
    ...(runId === undefined ? undefined : { runId }),
  };
}

/** Shown fields of a step beside its row: its result, and facts from other rows and events. */
export type StepExtras = Pick<
  Step,
  "value" | "truncated" | "request" | "omitted" | "hash" | "cause" | "edited"
>;

export function stepView(row: StepSummary, extras: StepExtras = {}): Step {
  const { key, kind, label, parent, state, attempt, interrupted, startedAtMs, endedAtMs } = row;
  const { bytes, error, usage, call, wait, startedSeq, endedSeq } = row;
  const { model, agent } = call ?? {};
  return {
    key,
    kind,
    ...(label === null ? undefined : { label }),
    ...(parent === null ? undefined : { parent }),
    state,
    attempt,
    interrupted,
    seq: { start: startedSeq, ...(endedSeq === null ? undefined : { end: endedSeq }) },
    startedAt: isoTime(startedAtMs),
    ...(endedAtMs === null ? undefined : { endedAt: isoTime(endedAtMs) }),
    bytes,
    ...modelOf(row, model),
    ...(agent === undefined ? undefined : { agent }),
    ...(usage === null ? undefined : { usage }),
    ...(wait === null ? undefined : { wait: waitView(row) }),
    ...extras,
    ...(error === null ? undefined : { error }),
  };
}

/** Rows of earlier versions name their model in their label alone. */
function modelOf({ kind, label }: StepSummary, model: string | undefined): Pick<Step, "model"> {
  const name = model ?? (kind === "model" ? (label ?? undefined) : undefined);
  return name === undefined ? {} : { model: name };
}
