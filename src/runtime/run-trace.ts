// Where a run stands among traces, kept in its record.
import { validTraceparent } from "../base/traceparent.ts";

/** The `traceparent` that a run, or a run before it, was started with. Absent where no run was started with one. */
export type RunTrace = {
  /** What the run was started with. */
  readonly parent?: string;
  /** What the nearest run before it was started with: of its parents, or of the runs that it was forked from. */
  readonly before?: string;
  /** `before` is of the very run that it comes from, which has that trace. */
  readonly isOfOrigin?: true;
};

/** Of a run that is started with this header. An invalid one is ignored. */
export function startTrace(
  header: string | null | undefined,
  known?: RunTrace,
): { trace: RunTrace } | undefined {
  const parent = validTraceparent(header);
  return parent === undefined ? undefined : { trace: { ...known, parent } };
}

/** Of a child or a fork of a run. */
export function nextTrace({ parent, before }: RunTrace = {}): { trace: RunTrace } | undefined {
  if (parent !== undefined) return { trace: { before: parent, isOfOrigin: true } };
  return before === undefined ? undefined : { trace: { before } };
}
