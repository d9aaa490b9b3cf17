import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import type { ForkRequest, Replacements } from "./fork-request.ts";
import type { RunStore } from "./run-store.ts";
import { startTrace } from "./run-trace.ts";
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

/**
 * What a fork is started with: what the other run was, and what the request says instead. Throws as `checkForkInputs` does, and
 * `invalid_input` where another definition needs inputs that the other run has not.
 */
export function forkStart(record: ForkRecord, request: ForkRequest): RunStart {
  const { newId, branch, definition, overrides, traceparent, webhooks } = request;
  const { tags, meta, context } = request;
  const { start, origin } = record;
  const inputs = request.inputs ?? (definition === undefined ? undefined : start.inputs);
  if (request.inputs !== undefined) checkForkInputs(record, inputs);
  else checkForkInputs({ requiredInputs: record.requiredInputs }, inputs);
  return {
    ...start,
    ...startTrace(traceparent, start.trace),
    id: newId,
    inputs: inputs ?? start.inputs,
    origin: {
      ...origin,
      ...(branch === undefined ? undefined : { branch }),
      ...(definition === undefined ? undefined : { definition: definition.version }),
    },
    ...(webhooks === undefined ? undefined : { webhooks }),
    ...(tags === undefined ? undefined : { tags }),
    ...(meta === undefined ? undefined : { meta }),
    ...(context === undefined ? undefined : { context: { ...start.context, ...context } }),
    ...(overrides === undefined ? undefined : { overrides: { ...start.overrides, ...overrides } }),
  };
}

/** Up to where a fork's record is another run's, in its order of starts and ends; 0 for a run that is no fork. */
export function adoptedSeq(store: Pick<RunStore, "value">): number {
  return Number(store.value("adoptedSeq") ?? 0);
}

/** Puts the rows that a fork takes over into its store, and notes how far its record is another run's. */
export function adoptRows(store: RunStore, rows: readonly StepRecord[]): void {
  const known = adoptedSeq(store);
  for (const row of rows) store.journal.put(row);
  const seq = rows.reduce((last, { endedSeq }) => Math.max(last, endedSeq ?? 0), known);
  if (seq > known) store.setValue("adoptedSeq", String(seq));
}
