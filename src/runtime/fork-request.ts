import type { RunStart } from "./run.ts";

/**
 * Where a new run takes over another one's record: before a step, before a task, which is the step of that name, or up to a
 * checkpoint.
 */
export type ForkPoint =
  | { readonly fromStep: string }
  | { readonly fromTask: string }
  | { readonly fromCheckpoint: string };

export type ForkRequest = {
  readonly newId: string;
  readonly from: ForkPoint;
  readonly inputs?: RunStart["inputs"] | undefined;
  /** A name for the fork. @default its id */
  readonly branch?: string | undefined;
};
