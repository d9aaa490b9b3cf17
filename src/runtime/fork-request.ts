import type { JsonValue } from "../base/json.ts";
import type { RunOrigin, RunOverrides, RunStart } from "./run.ts";

/** Results of steps, by step key. */
export type Replacements = Readonly<Record<string, JsonValue>>;

/**
 * Where a new run takes over another one's record: before the call that a failed run ended with, before a step, before a task, which is the step of that name, up to a
 * checkpoint, or up to the end of a step whose result is another one then. From the start nothing is taken over.
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
  /** Another definition, stored as data. With it, a record that does not fit ends the fork. */
  readonly definition?: ForkDefinition | undefined;
  /** What it says in place of its definition; each of them replaces that of the other run. */
  readonly overrides?: RunOverrides | undefined;
  readonly webhooks?: RunStart["webhooks"];
  /** In place of those of the other run. */
  readonly tags?: RunStart["tags"];
  readonly meta?: RunStart["meta"];
  /** Each entry replaces that of the other run. */
  readonly context?: RunStart["context"];
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
