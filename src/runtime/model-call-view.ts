// One model call of a run, with the conversation that the model was sent.
import { isoTime } from "../base/clock.ts";
import { EngineError, type ErrorRecord } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { JournalStore, StepState } from "../journal/journal-store.ts";
import type { ModelResponse } from "../llm/language-model.ts";
import {
  wholeRequest,
  type CallRow,
  type RecordedRequest,
  type WholeRequest,
} from "../llm/recorded-request.ts";

/** One model call of a run: what was sent, and what came back. */
export type ModelCallView = {
  readonly key: string;
  /** As the model is named in code, such as `openai/gpt-5-mini`. */
  readonly model?: string;
  readonly state: StepState;
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly request: WholeRequest;
  /** Absent for a call that failed or has not ended. */
  readonly response?: Omit<ModelResponse, "usage">;
  readonly usage?: Usage;
  readonly error?: ErrorRecord;
};

/** Throws `not_found` for a key that the journal does not have, `invalid_input` for the key of another kind of step. */
export function modelCallView(journal: JournalStore, key: string): ModelCallView {
  const row = journal.get(key);
  if (row === undefined) throw new EngineError("not_found", `there is no step ${preview(key)}`);
  const { kind, label, state, attempt, startedAtMs, endedAtMs, usage, error } = row;
  if (kind !== "model")
    throw new EngineError("invalid_input", `expected the key of a model call, got a ${kind} step`);
  const response = callRow(journal, key)?.response;
  return {
    key,
    ...(label === null ? undefined : { model: label }),
    state,
    attempt,
    startedAt: isoTime(startedAtMs),
    ...(endedAtMs === null ? undefined : { endedAt: isoTime(endedAtMs) }),
    request: wholeRequest(key, (at) => callRow(journal, at)),
    ...(response === undefined ? undefined : { response: withoutUsage(response) }),
    ...(usage === null ? undefined : { usage }),
    ...(error === null ? undefined : { error }),
  };
}

type ReadRow = CallRow & { readonly response: ModelResponse | undefined };

function callRow(journal: JournalStore, key: string): ReadRow | undefined {
  const row = journal.get(key);
  if (row === undefined) return undefined;
  const { request, value } = row;
  return {
    request: request === null ? undefined : (JSON.parse(request) as RecordedRequest),
    response: value === null ? undefined : (JSON.parse(value) as ModelResponse),
  };
}

function withoutUsage(response: ModelResponse): Omit<ModelResponse, "usage"> {
  const { usage: _, ...rest } = response;
  return rest;
}
