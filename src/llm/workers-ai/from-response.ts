import { eventStreamParser } from "../../base/event-stream-parser.ts";
import { preview, parsedObject } from "../../base/json.ts";
import { StreamBound, TextBound } from "../answer-bounds.ts";
import type { ModelResponse, StreamListeners, ToolCall } from "../language-model.ts";
import {
  fromResponse as fromChatResponse,
  fromStream as fromChatStream,
  type ResponseContext as ChatContext,
} from "../openai/from-response.ts";
import { usageFrom } from "../openai/usage.ts";
import { STREAM_END } from "../provider-events.ts";
import { unreadableAnswer } from "../provider-failure.ts";
import { asText, fieldsOf, isFields, listOf, textOf, type Fields } from "../wire.ts";

export type ResponseContext = ChatContext & {
  /** Limit sent with the request. */
  readonly maxTokens: number;
};

/** Reads either of the binding's two answer forms, which depend on the model. */
export function fromResponse(output: unknown, context: ResponseContext): ModelResponse {
  if (isFields(output) && "choices" in output) return fromChatResponse(output, context);
  const fields = fieldsOf(output);
  if (!("response" in fields) && !("tool_calls" in fields)) {
    throw unreadableAnswer(context.modelId, `sent no response but ${preview(output, 200)}`);
  }
  const text = asText(fields["response"]);
  return toModelResponse(
    { text, toolCalls: toolCallsOf(fields, context), usage: fields["usage"] },
    context,
  );
}

/** Reads a stream of server-sent events in either form. */
export async function fromStream(
  bytes: ReadableStream<Uint8Array>,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<ModelResponse> {
  const events = new Events(bytes, context.modelId);
  try {
    return await readEvents(events, context, listeners);
  } finally {
    events.end();
  }
}

async function readEvents(
  events: Events,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<ModelResponse> {
  const bound = new TextBound(context.modelId);
  const first = await events.next();
  const isChat = isFields(first) && "choices" in first;
  if (isChat) return fromChatStream(withFirst(first, events), context, listeners);
  let text = "";
  let usage: unknown;
  let toolCalls: readonly ToolCall[] = [];
  for (let event = first; event !== undefined; event = await events.next()) {
    const fields = fieldsOf(event);
    const delta = asText(fields["response"]);
    bound.add(delta.length);
    text += delta;
    if (delta !== "") listeners.onDelta?.(delta);
    if (isFields(fields["usage"])) usage = fields["usage"];
    const found = toolCallsOf(fields, context);
    if (found.length > 0) toolCalls = found;
    for (const [index, call] of found.entries()) listeners.onToolDelta?.({ index, ...call });
  }
  if (!events.isComplete) {
    throw unreadableAnswer(context.modelId, "ended its stream before the answer did");
  }
  return toModelResponse({ text, toolCalls, usage }, context);
}

type BindingResponse = {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: unknown;
};

function toModelResponse(
  { text, toolCalls, usage }: BindingResponse,
  { price, maxTokens }: ResponseContext,
): ModelResponse {
  const used = usageFrom(usage, price);
  // This form names no reason: an answer as long as its limit was cut.
  const end =
    used.completionTokens >= maxTokens
      ? ({ finishReason: "length", end: "cut" } as const)
      : ({ finishReason: toolCalls.length > 0 ? "tool_calls" : "stop" } as const);
  return { text, toolCalls, ...end, usage: used };
}

/** Calls come flat (`{ name, arguments }`) or as OpenAI's; most have no id. */
function toolCallsOf(fields: Fields, { turn }: ResponseContext): readonly ToolCall[] {
  return listOf(fields["tool_calls"])
    .filter(isFields)
    .map((call, index) => {
      const called = isFields(call["function"]) ? call["function"] : call;
      return {
        id: textOf(call["id"]) || `call_${turn}_${index}`,
        name: textOf(called["name"]),
        arguments: asText(called["arguments"]) || "{}",
      };
    });
}

async function* withFirst(first: unknown, rest: Events): AsyncGenerator {
  for (let event = first; event !== undefined; event = await rest.next()) yield event;
  if (rest.isComplete) yield STREAM_END;
}

/** The JSON objects of an event stream. */
class Events {
  /** True once the stream is marked as whole. */
  isComplete = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #waiting: Fields[] = [];
  readonly #parse = eventStreamParser();
  readonly #bound: StreamBound;

  constructor(bytes: ReadableStream<Uint8Array>, server: string) {
    this.#reader = bytes.getReader();
    this.#bound = new StreamBound({ server });
  }

  async next(): Promise<Fields | undefined> {
    while (this.#waiting.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#bound.piece(value);
      for (const { data } of this.#parse(this.#decoder.decode(value, { stream: true }))) {
        this.#bound.event(data);
        if (data === "[DONE]") this.isComplete = true;
        const event = parsedObject(data);
        if (event) this.#waiting.push(event);
      }
    }
    return this.#waiting.shift();
  }

  /** Stops reading, even before the end of the stream. */
  end(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
