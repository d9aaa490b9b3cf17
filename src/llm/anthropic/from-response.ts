import { preview, withoutNulls, parsedObject } from "../../base/json.ts";
import type { ModelResponse, StreamListeners } from "../language-model.ts";
import type { Price } from "../model-data.ts";
import { TextBound } from "../answer-bounds.ts";
import { ANTHROPIC_ENDS, endOf, type EndTable } from "../answer-end.ts";
import { partsToKeep } from "../kept-parts.ts";
import { unreadableAnswer } from "../provider-failure.ts";
import { asText, fieldsOf, isFields, listOf, textOf, type Fields } from "../wire.ts";
import { STRUCTURED_OUTPUT } from "./to-request.ts";
import { usageFrom } from "./usage.ts";

export type ResponseContext = {
  readonly modelId: string;
  readonly price: Price | undefined;
  /** The input of the structured output tool is the answer. */
  readonly answersByTool: boolean;
  /** Length of the conversation, for unique ids of tool calls without one. @default 0 */
  readonly turn?: number;
  /** Reasons with which answers end. @default Anthropic's */
  readonly ends?: EndTable;
};

/** Reads a whole message. */
export function fromResponse(message: unknown, context: ResponseContext): ModelResponse {
  const fields = fieldsOf(message);
  if (!Array.isArray(fields["content"])) {
    throw unreadableAnswer(context.modelId, `sent no content but ${preview(message, 200)}`);
  }
  const blocks = listOf(fields["content"])
    .filter(isFields)
    .map((block, index) => withId(block, index, context));
  const calls = blocks.filter((block) => block["type"] === "tool_use");
  const answer = context.answersByTool
    ? calls.find((call) => call["name"] === STRUCTURED_OUTPUT)
    : undefined;
  const id = textOf(fields["id"]);
  const usage = usageFrom(fields["usage"], context.price);
  const thinking = blocks.map((block) => textOf(block["thinking"])).join("");
  const common = {
    usage,
    ...(id === "" ? {} : { responseId: id }),
    ...(thinking === "" ? {} : { thinking }),
  };
  const text = blocks
    .filter((block) => block["type"] === "text")
    .map((block) => textOf(block["text"]))
    .join("");
  const end = endOf({
    modelId: context.modelId,
    table: context.ends ?? ANTHROPIC_ENDS,
    reason: fields["stop_reason"],
    hasCalls: answer === undefined && calls.length > 0,
    text,
  });
  if (answer) {
    // A streamed part of a cut answer can continue; the parsed input of an unstreamed one cannot.
    const isLost = end.end === "cut" && textOf(answer["json"]) === "";
    return { text: isLost ? "" : argumentsOf(answer), toolCalls: [], ...end, ...common };
  }
  const providerParts = partsToKeep(blocks);
  return {
    text,
    toolCalls: calls.map((call) => ({
      id: textOf(call["id"]),
      name: textOf(call["name"]),
      arguments: argumentsOf(call),
    })),
    ...end,
    ...common,
    ...(providerParts.length === 0 ? {} : { providerParts }),
  };
}

/** Reads the events of a stream, telling the listeners as they come. */
export async function fromStream(
  events: AsyncIterable<unknown>,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<ModelResponse> {
  return fromResponse(await readStream(events, context, listeners), context);
}

/** Reads a stream into a whole message. */
export async function readStream(
  events: AsyncIterable<unknown>,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<Fields> {
  const message = new StreamedMessage(context, listeners);
  for await (const event of events) message.add(fieldsOf(event));
  return message.finish();
}

class StreamedMessage {
  readonly #context: ResponseContext;
  readonly #listeners: StreamListeners;
  readonly #blocks = new Map<unknown, Record<string, unknown>>();
  /** Places of the tool calls, by the index of their blocks. */
  readonly #calls = new Map<unknown, number>();
  readonly #bound: TextBound;
  #start: Fields = {};
  #stopReason: unknown;
  #usage: Fields = {};
  #isComplete = false;
  #lastType = "";

  constructor(context: ResponseContext, listeners: StreamListeners) {
    this.#context = context;
    this.#listeners = listeners;
    this.#bound = new TextBound(context.modelId);
  }

  add(event: Fields): void {
    this.#lastType = textOf(event["type"]);
    switch (event["type"]) {
      case "message_start":
        this.#start = fieldsOf(event["message"]);
        this.#usage = fieldsOf(this.#start["usage"]);
        return;
      case "content_block_start":
        this.#startBlock(event["index"], fieldsOf(event["content_block"]));
        return;
      case "content_block_delta":
        this.#addDelta(event["index"], fieldsOf(event["delta"]));
        return;
      case "message_delta":
        this.#stopReason = fieldsOf(event["delta"])["stop_reason"];
        // Counts in this event are totals, but it has only the changed ones.
        this.#usage = { ...this.#usage, ...withoutNulls(fieldsOf(event["usage"])) };
        return;
      case "message_stop":
        this.#isComplete = true;
        return;
      case "message":
        this.#addWhole(event);
        return;
      default:
        return;
    }
  }

  finish(): Fields {
    if (!this.#isComplete) {
      const what = this.#lastType || "an empty answer";
      throw unreadableAnswer(
        this.#context.modelId,
        `ended its stream before the answer did; last came ${what}`,
      );
    }
    return {
      id: this.#start["id"],
      content: [...this.#blocks.values()],
      stop_reason: this.#stopReason,
      usage: this.#usage,
    };
  }

  /** Adds the whole message of a server without streaming. */
  #addWhole(message: Fields): void {
    this.#start = message;
    this.#usage = fieldsOf(message["usage"]);
    this.#stopReason = message["stop_reason"];
    for (const [index, block] of listOf(message["content"]).entries())
      this.#startBlock(index, fieldsOf(block));
    this.#isComplete = true;
  }

  #startBlock(index: unknown, block: Fields): void {
    const named = { ...withId(block, this.#blocks.size, this.#context) };
    this.#blocks.set(index, named);
    this.#streamText(textOf(block["text"]));
    if (block["type"] !== "tool_use" || this.#isAnswer(block)) return;
    this.#calls.set(index, this.#calls.size);
    this.#streamCall(index, named, "");
  }

  #addDelta(index: unknown, delta: Fields): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    switch (delta["type"]) {
      case "text_delta":
        this.#grow(block, "text", textOf(delta["text"]));
        this.#streamText(textOf(delta["text"]));
        return;
      case "input_json_delta": {
        const json = textOf(delta["partial_json"]);
        this.#grow(block, "json", json);
        if (this.#isAnswer(block)) this.#streamText(json);
        else if (json !== "") this.#streamCall(index, block, json);
        return;
      }
      case "thinking_delta": {
        const thinking = textOf(delta["thinking"]);
        this.#grow(block, "thinking", thinking);
        if (thinking !== "") this.#listeners.onThinking?.(thinking);
        return;
      }
      case "signature_delta":
        this.#grow(block, "signature", textOf(delta["signature"]));
        return;
      default:
        return;
    }
  }

  #grow(block: Record<string, unknown>, field: string, text: string): void {
    this.#bound.add(text.length);
    block[field] = textOf(block[field]) + text;
  }

  #isAnswer(block: Fields): boolean {
    return this.#context.answersByTool && block["name"] === STRUCTURED_OUTPUT;
  }

  #streamText(text: string): void {
    if (text !== "") this.#listeners.onDelta?.(text);
  }

  #streamCall(blockIndex: unknown, block: Fields, json: string): void {
    const index = this.#calls.get(blockIndex);
    if (index === undefined) return;
    const id = textOf(block["id"]);
    this.#listeners.onToolDelta?.({ index, id, name: textOf(block["name"]), arguments: json });
  }
}

/** Adds a missing call id: some servers of this dialect omit it, but its result needs one. */
function withId(block: Fields, index: number, { turn = 0 }: ResponseContext): Fields {
  if (block["type"] !== "tool_use" || textOf(block["id"]) !== "") return block;
  return { ...block, id: `toolu_${turn}_${index}` };
}

/** Returns the call's input; streamed input stays as the model wrote it. */
function argumentsOf(call: Fields): string {
  const streamed = textOf(call["json"]);
  if (streamed === "") return asText(call["input"]) || "{}";
  const parsed = parsedObject(streamed);
  return parsed ? JSON.stringify(parsed) : streamed;
}
