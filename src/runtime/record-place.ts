import type { JsonValue } from "../base/json.ts";

/** Results of steps, by step key. */
export type Replacements = Readonly<Record<string, JsonValue>>;

/** A section of a run's record: steps started after `afterSeq` and ended before `beforeSeq`. */
export type RecordPlace = {
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** Replacements for recorded results. */
  readonly replace?: Replacements;
};
