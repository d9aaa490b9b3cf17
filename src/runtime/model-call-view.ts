// One model call of a run, with the conversation sent to the model.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { JournalStore, StepRecord } from "../journal/journal-store.ts";
import type { Message, ModelResponse } from "../llm/language-model.ts";
import { priceOf } from "../llm/model-data.ts";
import {
  wholeRequest,
  type CallRow,
  type RecordedRequest,
  type WholeRequest,
} from "../llm/recorded-request.ts";
import { modelCallSummary, type ModelCallSummary } from "./model-call-list.ts";
import type { RunStore } from "./run-store.ts";
import { retriesOf, type StepRetry } from "./step-detail.ts";

/** One model call of a run: its request and its response. */
export type ModelCallView = ModelCallSummary & {
  readonly request: WholeRequest & {
    /** Messages of which only the beginning is shown: their places, from 0, and their lengths. */
    readonly truncated?: ReadonlyArray<{ readonly message: number; readonly length: number }>;
  };
  /** Absent for a failed or unfinished call. */
  readonly response?: Omit<ModelResponse, "usage">;
  /** In US dollars; absent for an unfinished call. */
  readonly costUsd?: number;
  /** Price of the model per million tokens, in US dollars, as known to this version. */
  readonly price?: {
    readonly model: string;
    readonly inPerMillion: number;
    readonly outPerMillion: number;
    /** Source of the price: the table of this version, or the settings of the model or the app. */
    readonly source: "table" | "settings";
  };
  /** Attempts that failed or were cut off. */
  readonly attempts: readonly StepRetry[];
};

/** Shown length of a message, in UTF-16 units; `message` requests the whole of one. */
const MAX_MESSAGE_LENGTH = 64 * 1024;

/**
 * Returns the view of a model call. `message` is the place of one message, from 0, to return whole and alone. Throws
 * `not_found` for a key missing in the journal, `invalid_input` for the key of another kind of step.
 */
export function modelCallView(
  store: RunStore,
  key: string,
  { message, nowMs }: { readonly message?: number | undefined; readonly nowMs: number },
): ModelCallView {
  const { journal } = store;
  const row = journal.get(key);
  if (row === undefined) throw new EngineError("not_found", `there is no step ${preview(key)}`);
  if (row.kind !== "model")
    throw new EngineError(
      "invalid_input",
      `expected the key of a model call, got a ${row.kind} step`,
    );
  const summary = modelCallSummary(row);
  const response = callRow(journal, key)?.response;
  const whole = wholeRequest(key, (at) => callRow(journal, at));
  const price = shownPrice(summary.model, row);
  const span = { fromMs: row.startedAtMs, toMs: row.endedAtMs ?? nowMs };
  return {
    ...summary,
    request: message === undefined ? cutRequest(whole) : onlyMessage(whole, message),
    ...(response === undefined ? undefined : { response: withoutUsage(response) }),
    ...(row.usage === null ? undefined : { costUsd: row.usage.costUsd }),
    ...(price === undefined ? undefined : { price }),
    attempts: row.attempt === 1 ? [] : retriesOf(store, key, span),
  };
}

/** Returns the price for the tokens of the call: some models charge more for long prompts. */
function shownPrice(model: string, { call, usage }: StepRecord): ModelCallView["price"] {
  const own = call?.price;
  if (own !== undefined)
    return { model, inPerMillion: own[0], outPerMillion: own[1], source: "settings" };
  const price = priceOf(model);
  if (price === undefined) return undefined;
  const { longPrompt } = price;
  const isLong = longPrompt !== undefined && (usage?.promptTokens ?? 0) > longPrompt.above;
  const { input, output } = isLong ? longPrompt : price;
  return { model, inPerMillion: input, outPerMillion: output, source: "table" };
}

function onlyMessage(request: WholeRequest, place: number): WholeRequest {
  const message = request.messages[place];
  if (message === undefined)
    throw new EngineError(
      "not_found",
      `the call was sent ${request.messages.length} messages: there is no message ${place}`,
    );
  return { messages: [message], recorded: request.recorded };
}

function cutRequest(request: WholeRequest): ModelCallView["request"] {
  const truncated: { message: number; length: number }[] = [];
  const messages = request.messages.map((message, place) => {
    const { cut, length } = cutMessage(message);
    if (cut !== message) truncated.push({ message: place, length });
    return cut;
  });
  return truncated.length === 0 ? request : { ...request, messages, truncated };
}

/** The beginning of each text of a message, together so long as one may be. */
function cutMessage(message: Message): { readonly cut: Message; readonly length: number } {
  let left = MAX_MESSAGE_LENGTH;
  let length = 0;
  const take = (text: string): string => {
    const part = text.slice(0, Math.max(0, left));
    left -= part.length;
    length += text.length;
    return part;
  };
  let cut: Message;
  if (message.role === "user" && typeof message.content !== "string") {
    const content = message.content.map((part) =>
      part.type === "text" ? { ...part, text: take(part.text) } : part,
    );
    cut = { ...message, content };
  } else if (message.role === "assistant") {
    const content = take(message.content);
    const calls = message.toolCalls?.map((call) => ({ ...call, arguments: take(call.arguments) }));
    cut = { ...message, content, ...(calls === undefined ? undefined : { toolCalls: calls }) };
  } else cut = { ...message, content: take(message.content as string) } as Message;
  return length > MAX_MESSAGE_LENGTH ? { cut, length } : { cut: message, length };
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
