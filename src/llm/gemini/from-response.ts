import { EngineError } from "../../base/error.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import type { ModelResponse, StreamListeners, ToolCall } from "../language-model.ts";
import type { Price } from "../model-data.ts";
import { TextBound } from "../answer-bounds.ts";
import { endOf, GEMINI_ENDS } from "../answer-end.ts";
import { unreadableAnswer } from "../provider-failure.ts";
import { signedCall } from "../thought-signatures.ts";
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../wire.ts";
import { usageFrom } from "./usage.ts";

export type ResponseContext = {
  readonly modelId: string;
  readonly price: Price | undefined;
  /** Length of the conversation, for unique ids of calls, which have none in this API. */
  readonly turn: number;
};

/** Reads a whole answer. */
export function fromResponse(response: unknown, context: ResponseContext): ModelResponse {
  const answer = new GeminiAnswer(context, {});
  answer.add(response);
  return answer.finish();
}

/** Reads the chunks of a stream, telling the listeners as they come. */
export async function fromStream(
  chunks: AsyncIterable<unknown>,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<ModelResponse> {
  const answer = new GeminiAnswer(context, listeners);
  for await (const chunk of chunks) answer.add(chunk);
  return answer.finish();
}

class GeminiAnswer {
  readonly #context: ResponseContext;
  readonly #listeners: StreamListeners;
  readonly #calls: ToolCall[] = [];
  readonly #kept: JsonObject[] = [];
  /** Signed pieces of the text. */
  readonly #signed: JsonObject[] = [];
  readonly #bound: TextBound;
  #text = "";
  #thinking = "";
  #id = "";
  #finishReason: unknown;
  #usage: unknown;
  #blocked = "";
  #last: unknown;

  constructor(context: ResponseContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
    this.#bound = new TextBound(context.modelId);
  }

  add(chunk: unknown): void {
    this.#last = chunk;
    const fields = fieldsOf(chunk);
    this.#id ||= textOf(fields["responseId"]);
    if (isFields(fields["usageMetadata"])) this.#usage = fields["usageMetadata"];
    this.#blocked ||= textOf(fieldsOf(fields["promptFeedback"])["blockReason"]);
    const candidate = fieldsOf(listOf(fields["candidates"])[0]);
    this.#finishReason = candidate["finishReason"] ?? this.#finishReason;
    for (const part of listOf(fieldsOf(candidate["content"])["parts"]))
      this.#addPart(fieldsOf(part));
  }

  finish(): ModelResponse {
    const { modelId, price } = this.#context;
    if (this.#blocked !== "")
      throw new EngineError(
        "content_filtered",
        `${modelId} refused the conversation: ${this.#blocked}`,
      );
    if (this.#finishReason === undefined)
      throw unreadableAnswer(modelId, `sent no whole answer but ${preview(this.#last, 200)}`);
    const of = this.#text.length;
    const kept = [
      ...this.#kept,
      ...this.#signed.map((piece) => ({ type: "gemini.text", of, ...piece })),
    ];
    return {
      text: this.#text,
      toolCalls: this.#calls,
      ...endOf({
        modelId,
        table: GEMINI_ENDS,
        reason: this.#finishReason,
        hasCalls: this.#calls.length > 0,
        text: this.#text,
      }),
      usage: usageFrom(this.#usage, price),
      ...(this.#id === "" ? {} : { responseId: this.#id }),
      ...(this.#thinking === "" ? {} : { thinking: this.#thinking }),
      ...(kept.length === 0 ? {} : { providerParts: kept }),
    };
  }

  #addPart(part: Fields): void {
    const text = textOf(part["text"]);
    this.#bound.add(text.length);
    const signature = textOf(part["thoughtSignature"]);
    if (part["thought"] === true) {
      if (signature !== "") this.#kept.push({ type: "gemini.thought", text, signature });
      this.#thinking += text;
      if (text !== "") this.#listeners.onThinking?.(text);
      return;
    }
    const called = part["functionCall"];
    if (isFields(called)) return this.#addCall(called, signature);
    const start = this.#text.length;
    this.#text += text;
    // A signature may follow the text, with an empty piece.
    if (signature !== "") this.#signed.push({ start, end: this.#text.length, signature });
    if (text !== "") this.#listeners.onDelta?.(text);
  }

  /** Calls come whole. */
  #addCall(called: Fields, signature: string): void {
    const index = this.#calls.length;
    const named = textOf(called["id"]);
    const call = {
      id: named || `call_${this.#context.turn}_${index}`,
      name: textOf(called["name"]),
      arguments: JSON.stringify(fieldsOf(called["args"])),
    };
    this.#calls.push(call);
    if (signature !== "") this.#kept.push(signedCall(call.id, signature));
    if (named !== "") this.#kept.push({ type: "gemini.call_id", id: named });
    this.#listeners.onToolDelta?.({ index, ...call });
  }
}
