// Place of a run among traces, stored in its record.
import { validTraceparent } from "../base/traceparent.ts";

/** The `traceparent` from the start of a run, or of a run before it. Absent if no run was started with one. */
export type RunTrace = {
  /** `traceparent` of the run's start. */
  readonly parent?: string;
  /** `traceparent` of the nearest run before it: one of its parents, or of its original runs. */
  readonly before?: string;
  /** Set if `before` belongs to its direct origin, which has this trace. */
  readonly isOfOrigin?: true;
};

/** Returns the trace of a run started with this header. An invalid one is ignored. */
export function startTrace(
  header: string | null | undefined,
  known?: RunTrace,
): { trace: RunTrace } | undefined {
  const parent = validTraceparent(header);
  return parent === undefined ? undefined : { trace: { ...known, parent } };
}

/** Returns the trace of a child or a fork of a run. */
export function nextTrace({ parent, before }: RunTrace = {}): { trace: RunTrace } | undefined {
  if (parent !== undefined) return { trace: { before: parent, isOfOrigin: true } };
  return before === undefined ? undefined : { trace: { before } };
}
