// Turns as response objects.
import type { JsonObject } from "../../../base/json.ts";
import type { Usage } from "../../../base/usage.ts";
import { failedRunStatus } from "../../../parts/code-answers.ts";
import { isFiltered, type Outcome } from "../outcome.ts";
import type { Turn } from "../turns.ts";
import type { ViewOf } from "../../../parts/shape.ts";
import type { openAiResponseShape } from "./schema.ts";

/** Fields of the request repeated in a response; stored with the turn. */
export type ResponseEcho = {
  readonly model: string;
  /** In seconds. */
  readonly created: number;
  readonly background: boolean;
  readonly instructions: string | null;
  readonly metadata: JsonObject;
  readonly previous: string | null;
  readonly conversation: string | null;
  readonly store: boolean;
  readonly fields: JsonObject;
};

/** A response, with its own part of its ids. */
export type ResponseHead = { readonly id: string; readonly echo: ResponseEcho };

export type ResponseStatus =
  | "queued"
  | "in_progress"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled";

export type OutputItem = JsonObject & { readonly id: string; readonly type: string };

const RESPONSE_ID = /^resp_([A-Za-z0-9_-]{1,64}?)(?:_([0-9a-f]{12}))?$/;

/** Returns the id of a turn's response. */
export function responseIdOf({ thread, id }: Turn): string {
  return `resp_${thread.runId}${id === "" ? "" : `_${id}`}`;
}

/** Returns the run and the turn of an id; undefined for any other text. */
export function turnIn(responseId: string): { runId: string; turnId: string } | undefined {
  const [, runId, turnId = ""] = RESPONSE_ID.exec(responseId) ?? [];
  return runId === undefined ? undefined : { runId, turnId };
}

/** Returns the response with its outcome, or without one yet. */
export function responseOf(
  { id, echo }: ResponseHead,
  state:
    | { readonly status: ResponseStatus }
    | { readonly outcome: Outcome; readonly thinking?: string },
): JsonObject & ViewOf<typeof openAiResponseShape> {
  const outcome = "outcome" in state ? state.outcome : undefined;
  const status =
    outcome === undefined ? (state as { status: ResponseStatus }).status : statusOf(outcome);
  const reason = incompleteReason(outcome);
  const error = outcome !== undefined && status === "failed" ? errorOf(outcome) : null;
  return {
    ...echo.fields,
    ...refused(outcome),
    id,
    object: "response",
    created_at: echo.created,
    status,
    background: echo.background,
    error,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: echo.instructions,
    metadata: echo.metadata,
    model: echo.model,
    output:
      outcome === undefined
        ? []
        : outputOf(id, outcome, "thinking" in state ? state.thinking : outcome.thinking),
    previous_response_id: echo.previous,
    ...(echo.conversation === null ? undefined : { conversation: { id: echo.conversation } }),
    store: echo.store,
    usage: outcome === undefined ? null : responseUsage(outcome.usage),
  };
}

/** Fields of settings in a response. */
const SETTING_FIELDS: Readonly<Record<string, string>> = {
  temperature: "temperature",
  topP: "top_p",
  maxTokens: "max_output_tokens",
  reasoningEffort: "reasoning",
};

/** Settings refused by the model were not used. */
function refused({ ignored = [] }: Pick<Outcome, "ignored"> = {}): JsonObject {
  const fields = ignored.flatMap((name) => SETTING_FIELDS[name] ?? []);
  return Object.fromEntries(fields.map((field) => [field, null]));
}

/** Returns the status of a response after its turn has ended. */
export function statusOf(outcome: Outcome): ResponseStatus {
  if (isFiltered(outcome)) return "incomplete";
  if (outcome.status === "failed" || outcome.status === "cancelled") return outcome.status;
  return incompleteReason(outcome) === undefined ? "completed" : "incomplete";
}

function incompleteReason(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return undefined;
  if (isFiltered(outcome)) return "content_filter";
  if (outcome.status !== "completed") return undefined;
  if (outcome.finish === "length") return "max_output_tokens";
  return outcome.finish === "content_filter" ? "content_filter" : undefined;
}

/** SDKs repeat a request for other codes than `invalid_prompt`, so a permanent failure has this one. */
function errorOf({ error }: Outcome): JsonObject {
  if (error === undefined) return { code: "server_error", message: "the run failed" };
  const code =
    error.code === "model_rate_limited"
      ? "rate_limit_exceeded"
      : failedRunStatus(error) < 500
        ? "invalid_prompt"
        : "server_error";
  return { code, message: error.message };
}

/** Returns the items of an outcome, in their order. */
export function outputOf(responseId: string, outcome: Outcome, thinking = ""): OutputItem[] {
  const own = responseId.slice("resp_".length);
  return [
    ...(thinking === "" ? [] : [reasoningItem(own, thinking)]),
    ...(outcome.said === "" ? [] : [messageItem(own, outcome.said, itemStatusOf(outcome))]),
    ...outcome.calls.map(callItem),
  ];
}

/** A message of an incomplete response is incomplete, too. */
export function itemStatusOf(outcome: Outcome): "completed" | "incomplete" {
  return statusOf(outcome) === "incomplete" ? "incomplete" : "completed";
}

export function messageItem(
  own: string,
  text: string,
  status: "in_progress" | "completed" | "incomplete",
): OutputItem {
  return {
    id: `msg_${own}`,
    type: "message",
    status,
    role: "assistant",
    content: [textPart(text)],
  };
}

export function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function reasoningItem(own: string, text: string): OutputItem {
  return { id: `rs_${own}`, type: "reasoning", summary: [{ type: "summary_text", text }] };
}

function callItem(call: Outcome["calls"][number]): OutputItem {
  const { id, name, arguments: args, isCustom } = call;
  const shared = { status: "completed", call_id: id, name };
  return isCustom === true
    ? { id: id.replace(/^call_/, "ctc_"), type: "custom_tool_call", ...shared, input: args }
    : { id: id.replace(/^call_/, "fc_"), type: "function_call", ...shared, arguments: args };
}

function responseUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedPromptTokens,
      cache_write_tokens: usage.cacheCreationTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.totalTokens,
  };
}
