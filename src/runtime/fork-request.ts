import type { JsonValue } from "../base/json.ts";
import type { Replacements } from "./record-place.ts";
import type { RunOrigin, RunOverrides, RunStart } from "./run.ts";

/**
 * Point up to which a new run takes over the record of another: before the failed call of a failed run, before a step,
 * before a task (the step of that name), up to a checkpoint, or up to the end of a step with an edited result. From the
 * start, no record is taken over.
 */
export type ForkPoint =
  | { readonly fromStart: true }
  | { readonly fromFailure: true }
  | { readonly fromStep: string }
  | { readonly fromTask: string }
  | { readonly fromCheckpoint: string }
  | { readonly edit: StepEdit };

/** Another result of a finished step, as people write it: see `editedValue`. */
export type StepEdit = { readonly key: string; readonly value: JsonValue };

/** A stored definition, and which one it is. */
export type ForkDefinition = {
  readonly version: NonNullable<RunOrigin["definition"]>;
  readonly value: JsonValue;
};

export type ForkRequest = {
  readonly newId: string;
  readonly from: ForkPoint;
  readonly inputs?: RunStart["inputs"] | undefined;
  /** Another definition, stored as data. A record that does not fit it ends the fork. */
  readonly definition?: ForkDefinition | undefined;
  /** Overrides of its definition; each replaces the same override of the other run. */
  readonly overrides?: RunOverrides | undefined;
  readonly webhooks?: RunStart["webhooks"];
  /** In place of those of the other run. */
  readonly tags?: RunStart["tags"];
  readonly meta?: RunStart["meta"];
  /** Each entry replaces that of the other run. */
  readonly context?: RunStart["context"];
  /** Replaced results of finished steps, by step key. The fork treats them as the steps' own results. */
  readonly replace?: Replacements | undefined;
  /** A name for the fork. @default its id */
  readonly branch?: string | undefined;
  /** Header `traceparent` of the request for the fork. */
  readonly traceparent?: string | null;
};
