import type { Run, RunStatus } from "../runtime/run.ts";

/** A trigger's answer: the started run. */
export type TriggeredRun = {
  readonly id: string;
  readonly status: RunStatus;
  readonly links: { readonly self: string };
};

export function triggeredRun({ id, status }: Pick<Run, "id" | "status">): TriggeredRun {
  return { id, status, links: { self: `/runs/${id}` } };
}
