import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { Replacements } from "./fork-request.ts";
import type { RunStore } from "./run-store.ts";
import type { RunOrigin, RunStart } from "./run.ts";

/** A place in the record of a run: what started after `afterSeq`, of what had ended before `beforeSeq`. */
export type RecordPlace = {
  readonly afterSeq: number;
  readonly beforeSeq: number;
  /** Results that replace those on record. */
  readonly replace?: Replacements;
};

/** A page of what a fork takes over. */
export type RecordPage = Pick<ForkRecord, "rows" | "more">;

/** What a fork begins with. */
export type ForkRecord = {
  readonly start: RunStart;
  readonly origin: RunOrigin;
  /** The record, or its first page. */
  readonly rows: readonly StepRecord[];
  /** Where the next page begins. */
  readonly more?: RecordPlace;
  /** The first step that made the inputs of the other run, if the record holds one. */
  readonly inputsFrom?: Pick<StepRecord, "key" | "label">;
  /** Inputs that the definition needs. */
  readonly requiredInputs: readonly string[];
};

/**
 * Looks at the inputs of a fork's own, which replace the other run's. Throws `conflict` where the fork takes over what was made
 * of those, as nothing could tell that the new ones had no effect; else `invalid_input` for each that the texts need and that is missing.
 */
export function checkForkInputs(
  { inputsFrom, requiredInputs }: Pick<ForkRecord, "inputsFrom" | "requiredInputs">,
  inputs: JsonObject | undefined,
): void {
  if (inputs === undefined) return;
  if (inputsFrom !== undefined)
    throw new EngineError(
      "conflict",
      `the inputs of the other run were changed by ${inputsFrom.label ?? "a step"}, and a replay takes over that result (${inputsFrom.key}): leave out inputs, or start a new run with them`,
    );
  const missing = requiredInputs.filter((name) => !Object.hasOwn(inputs, name));
  if (missing.length === 0) return;
  throw new EngineError(
    "invalid_input",
    `a fork's inputs replace all inputs of the other run; the run's texts also need: ${missing.join(", ")}`,
    {
      issues: missing.map((name) => ({
        path: pointerOf(["inputs", name]),
        message: "is needed by the run's texts, got nothing",
      })),
    },
  );
}

/** Puts the rows that a fork takes over into its store, and notes how far its record is another run's. */
export function adoptRows(store: RunStore, rows: readonly StepRecord[]): void {
  const known = Number(store.value("adoptedSeq") ?? 0);
  for (const row of rows) store.journal.put(row);
  const adoptedSeq = rows.reduce((seq, row) => Math.max(seq, row.endedSeq ?? 0), known);
  if (adoptedSeq > known) store.setValue("adoptedSeq", String(adoptedSeq));
}
