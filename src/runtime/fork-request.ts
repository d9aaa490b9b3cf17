import type { JsonValue } from "../base/json.ts";
import type { RunStart } from "./run.ts";

/** Results of steps, by step key. */
export type Replacements = Readonly<Record<string, JsonValue>>;

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
  /**
   * Results of finished steps that it takes over, by step key, in place of those on record. The fork takes them for what these steps
   * came to.
   */
  readonly replace?: Replacements | undefined;
  /** A name for the fork. @default its id */
  readonly branch?: string | undefined;
  /** As the header of the request for it. */
  readonly traceparent?: string | null;
};
