// Rows of the journal: how they begin, how they end, how they are read.
import { errorRecord } from "../base/error-record.ts";
import { EngineError, errorMessage, type ErrorCode, type ErrorRecord } from "../base/error.ts";
import { anyText } from "../base/any-text.ts";
import type { JsonValue } from "../base/json.ts";
import { fromRecorded, mayHoldKinds, plainText, recordedText } from "../base/recorded.ts";
import { holdsSteps } from "./holds-steps.ts";
import type { StepKind, StepRecord } from "./journal-store.ts";
import type { HeldDrive, StepSpec } from "./step-spec.ts";

/**
 * True for a step with earlier nested steps: its code runs again to ask for them, which is not a new start. False for a
 * step waiting for its next attempt, whose row holds the failure: the next attempt is a new start.
 */
export function isEntered(row: StepRecord | undefined): boolean {
  if (row === undefined) return false;
  return holdsSteps(row.kind) || (row.state === "waiting" && row.error === null);
}

const FAILURE_CODE: { readonly [kind in StepKind]: ErrorCode } = {
  model: "model_failed",
  tool: "tool_failed",
  effect: "internal",
  task: "agent_failed",
  method: "user_code_failed",
  agent: "agent_failed",
  group: "internal",
  value: "internal",
  wait: "internal",
};

/** Initial fields of a new row. */
type NewRow = Pick<StepRecord, "parent" | "startedSeq" | "startedAtMs"> & {
  readonly label?: StepRecord["label"] | undefined;
  readonly mark?: StepRecord["mark"];
  readonly inputHash?: StepRecord["inputHash"];
  readonly call?: StepRecord["call"] | undefined;
};

type MutableRow = { -readonly [Field in keyof StepRecord]: StepRecord[Field] };

/** Builds the row of a step on its first start. */
export function newRow(
  key: string,
  kind: StepKind,
  { parent, label = null, mark = null, inputHash = null, call, startedSeq, startedAtMs }: NewRow,
): StepRecord {
  const row: MutableRow = {
    key,
    kind,
    label,
    parent,
    mark,
    state: "started",
    attempt: 1,
    interrupted: 0,
    inputHash,
    startedSeq,
    endedSeq: null,
    startedAtMs,
    endedAtMs: null,
    value: null,
    request: null,
    error: null,
    wait: null,
    usage: null,
  };
  if (call !== undefined) row.call = call;
  return row;
}

/** Counts a crash during the step's action; the action has another attempt unless it may run only once. */
export function cutOffRow<T>(row: StepRecord, weight: number, { effect }: StepSpec<T>): StepRecord {
  const interrupted = row.interrupted + 1;
  const cutWeight = (row.cutWeight ?? row.interrupted) + weight;
  const isWeighed = row.cutWeight !== undefined || cutWeight !== interrupted;
  const attempt = effect === "once" ? row.attempt : row.attempt + 1;
  return { ...row, interrupted, attempt, ...(isWeighed ? { cutWeight } : undefined) };
}

/** End of a drive whose code does not fit the record (J7). */
export function misfit(key: string, what: string): HeldDrive {
  const message = `the journal does not fit the code any more at step ${key}: ${what}. The definition changed under the run, or code between steps awaits something outside the journal`;
  return { state: "held", key, error: failure("journal_mismatch", message) };
}

/** End of a drive that must not continue with a finished step whose input has changed (J12). */
export function changedInput(key: string): HeldDrive {
  return misfit(key, "its input is another one than on record");
}

/** An error that a retry does not fix. */
export function failure(code: ErrorCode, message: string): ErrorRecord {
  return { code, message, retryable: false };
}

/** Returns the result of a row as code receives it. With `carries`, restores the value from before it was recorded. */
export function resultOf({ value }: StepRecord, carries = false): unknown {
  const recorded = decode(value);
  return carries && value !== null && mayHoldKinds(value) ? fromRecorded(recorded) : recorded;
}

/** Parses the result of a row; undefined if the action returned no value. */
export function decode(value: string | null): unknown {
  return value === null ? undefined : JSON.parse(value);
}

/** Builds the row of an ended step. A result that is not JSON, or longer than `maxLength`, fails the step. */
export function finishedRow<T>(
  unfinished: StepRecord,
  result: { value: T } | { error: unknown },
  {
    spec,
    maxLength,
    endedSeq,
    endedAtMs,
    rowOf,
  }: {
    spec: StepSpec<T>;
    maxLength: number;
    endedSeq: number;
    endedAtMs: number;
    rowOf: (key: string) => StepRecord | undefined;
  },
): StepRecord {
  const call = spec.call?.("value" in result ? result.value : undefined);
  // Made once and filled in: each copy of a row costs as much as writing it.
  const ended: MutableRow = { ...unfinished };
  ended.endedSeq = endedSeq;
  ended.endedAtMs = endedAtMs;
  ended.wait = null;
  ended.request = requestOf(spec, { maxLength, rowOf });
  if (call !== undefined) ended.call = call;
  ended.state = "error";
  if ("error" in result) {
    ended.error = errorRecord(result.error, spec.failureCode ?? FAILURE_CODE[spec.kind]);
    return ended;
  }
  let value: string | null;
  try {
    // Effects return values of the user; the engine's own results are JSON, with users' values already in recorded
    // form.
    value =
      spec.kind === "effect"
        ? effectText(result.value, spec.carries)
        : (JSON.stringify(result.value) ?? null);
  } catch (error) {
    const message = EngineError.is(error)
      ? `step ${ended.key}: ${error.message}`
      : `the result of step ${ended.key} is not JSON: ${errorMessage(error)}`;
    ended.error = failure("output_invalid", message);
    return ended;
  }
  if ((value?.length ?? 0) > maxLength) {
    const message = `the result of step ${ended.key} has ${value?.length} characters, at most ${maxLength} are kept`;
    ended.error = failure("value_too_large", message);
    return ended;
  }
  if (typeof spec.mark === "function") ended.mark = spec.mark(result.value);
  ended.state = "done";
  ended.value = value;
  ended.usage = spec.usage?.(result.value) ?? null;
  return ended;
}

function effectText(value: unknown, carries = false): string | null {
  if (value === undefined) return null;
  return carries ? recordedText(value) : plainText(value);
}

/**
 * Returns the request to store. Omits it if it is longer than a result may be, or if its owner does not store requests.
 */
function requestOf<T>(
  { request }: StepSpec<T>,
  { maxLength, rowOf }: { maxLength: number; rowOf: (key: string) => StepRecord | undefined },
): string | null {
  const asked = request?.((key) => decode(rowOf(key)?.request ?? null) as JsonValue | undefined);
  if (asked === undefined) return null;
  const json = anyText(asked);
  return json.length > maxLength ? null : json;
}
