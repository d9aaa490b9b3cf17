import type { StepRecord, UsageOf } from "./journal-store.ts";

/** Returns the model, agent and task charged for a step's usage. */
export function payerOf({
  kind,
  label,
  call,
}: Pick<StepRecord, "kind" | "label" | "call">): Omit<UsageOf, "usage"> {
  if (call === undefined) {
    if (kind === "wait") return { model: "child" };
    return { model: kind === "model" ? (label ?? kind) : kind };
  }
  const { model, agent, task } = call;
  return {
    model,
    ...(agent === undefined ? undefined : { agent }),
    ...(task === undefined ? undefined : { task }),
  };
}
