import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { pointerOf } from "../base/json-pointer.ts";
import type { StepRecord } from "../journal/journal-store.ts";
import { adoptedSeq } from "./adopted-rows.ts";
import type { ForkRequest } from "./fork-request.ts";
import type { RecordPlace } from "./record-place.ts";
import type { RunStore } from "./run-store.ts";
import { startTrace } from "./run-trace.ts";
import type { RunOrigin, RunStart } from "./run.ts";

/** A page of the record for a fork. */
export type RecordPage = Pick<ForkRecord, "rows" | "more">;

/** Initial data of a fork. */
export type ForkRecord = {
  readonly start: RunStart;
  readonly origin: RunOrigin;
  /** The record, or its first page. */
  readonly rows: readonly StepRecord[];
  /** Beginning of the next page. */
  readonly more?: RecordPlace;
  /** First step that made the inputs of the other run, if it is in the record. */
  readonly inputsFrom?: Pick<StepRecord, "key" | "label">;
  /** Inputs required by the definition. */
  readonly requiredInputs: readonly string[];
};

/**
 * Checks a fork's own inputs, which replace the other run's. Throws `conflict` if the fork takes over results made from
 * the old inputs, because the new ones would silently have no effect; else `invalid_input` for each missing input of
 * the texts.
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
 * Builds the start of a fork from the other run and the request. Throws like `checkForkInputs`, and `invalid_input` if
 * another definition needs inputs missing in the other run.
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

/**
 * Writes the copied rows of a fork into its store, and records the last copied place. Steps without a result continue
 * in the fork, so their time begins at `nowMs`.
 */
export function adoptRows(store: RunStore, rows: readonly StepRecord[], nowMs: number): void {
  const known = adoptedSeq(store);
  for (const row of rows)
    store.journal.put(row.endedSeq === null ? { ...row, startedAtMs: nowMs } : row);
  const seq = rows.reduce((last, { endedSeq }) => Math.max(last, endedSeq ?? 0), known);
  if (seq > known) store.setValue("adoptedSeq", String(seq));
}
