import {
  isJsonObject,
  preview,
  parsedObject,
  type JsonObject,
  type JsonValue,
} from "../../base/json.ts";
import type { ModelResponse, StreamListeners, ToolCall } from "../language-model.ts";
import type { Price } from "../model-data.ts";
import { TextBound } from "../answer-bounds.ts";
import { CHAT_ENDS, endOf } from "../answer-end.ts";
import { STREAM_END } from "../provider-events.ts";
import { providerError, unreadableAnswer } from "../provider-failure.ts";
import {
  asText,
  contentText,
  contentThoughts,
  fieldsOf,
  isFields,
  isJson,
  listOf,
  textOf,
} from "../wire.ts";
import { saidIn } from "./said-in.ts";
import { usageFrom } from "./usage.ts";

export type ResponseContext = {
  readonly modelId: string;
  readonly price: Price | undefined;
  /** Length of the conversation, for unique ids of tool calls without one. */
  readonly turn: number;
};

/**
 * Non-standard fields some models require back with their tool calls, else they refuse the next turn: DeepSeek's, Kimi's
 * and OpenRouter's reasoning, Gemini's thought signatures.
 */
const KEPT_MESSAGE_FIELDS = ["reasoning_content", "reasoning_details"];
const KEPT_CALL_FIELDS = ["extra_content"];

/** Reads a whole `chat.completion`. */
export function fromResponse(response: unknown, context: ResponseContext): ModelResponse {
  const fields = fieldsOf(response);
  const choice = listOf(fields["choices"])[0];
  failWith(choice, context);
  if (!isFields(choice) || !isFields(choice["message"])) {
    throw unreadableAnswer(context.modelId, `sent no choices but ${preview(response, 200)}`);
  }
  const { message } = choice;
  const calls = listOf(message["tool_calls"]).filter(isFields);
  const thinking = thoughtsIn(message);
  const answer = assemble(
    {
      id: textOf(fields["id"]),
      text: contentText(message["content"]),
      refusal: textOf(message["refusal"]),
      calls: calls.map((call, index) => {
        const called = fieldsOf(call["function"]);
        return {
          id: textOf(call["id"]) || madeUpId(context, index),
          name: textOf(called["name"]),
          arguments: asText(called["arguments"]),
          kept: kept(call, KEPT_CALL_FIELDS),
        };
      }),
      finishReason: choice["finish_reason"],
      usage: fields["usage"],
      kept: kept(message, KEPT_MESSAGE_FIELDS),
    },
    context,
  );
  return thinking === "" ? answer : { ...answer, thinking };
}

/** Reads the chunks of a stream, telling the listeners as they come. */
export async function fromStream(
  chunks: AsyncIterable<unknown>,
  context: ResponseContext,
  listeners: StreamListeners,
): Promise<ModelResponse> {
  const message = new StreamedMessage(context, listeners);
  for await (const chunk of chunks) message.add(chunk);
  return message.finish();
}

type PartialCall = { id: string; name: string; arguments: string; kept: Record<string, JsonValue> };

class StreamedMessage {
  readonly #context: ResponseContext;
  readonly #listeners: StreamListeners;
  #id = "";
  #text = "";
  #refusal = "";
  #finishReason: unknown;
  /** True once the server has marked the stream as whole. */
  #isEnded = false;
  #usage: unknown;
  #last: unknown;
  readonly #calls: PartialCall[] = [];
  readonly #callByIndex = new Map<unknown, PartialCall>();
  readonly #kept: Record<string, JsonValue> = {};
  readonly #bound: TextBound;

  constructor(context: ResponseContext, listeners: StreamListeners) {
    this.#context = context;
    this.#bound = new TextBound(context.modelId);
    this.#listeners = listeners;
  }

  add(chunk: unknown): void {
    if (chunk === STREAM_END) {
      this.#isEnded = true;
      return;
    }
    this.#last = chunk;
    const fields = fieldsOf(chunk);
    this.#id ||= textOf(fields["id"]);
    if (isFields(fields["usage"])) this.#usage = fields["usage"];
    const choice = fieldsOf(listOf(fields["choices"])[0]);
    failWith(choice, this.#context);
    // Some servers write an empty reason into each chunk.
    this.#finishReason = choice["finish_reason"] || this.#finishReason;
    // A server without streaming answers with the whole message.
    const delta = fieldsOf(choice["delta"] ?? choice["message"]);
    for (const call of listOf(delta["tool_calls"])) this.#addCall(fieldsOf(call));
    this.#keep(this.#kept, kept(delta, KEPT_MESSAGE_FIELDS));
    const refusal = textOf(delta["refusal"]);
    this.#refusal += refusal;
    const content = contentText(delta["content"]);
    this.#bound.add(content.length + refusal.length);
    const isThought = isGeminiThought(delta);
    const { onDelta, onThinking } = this.#listeners;
    const thought = thoughtsIn(delta) || (isThought ? content : "");
    if (thought !== "") onThinking?.(thought);
    if (isThought || content === "") return;
    this.#text += content;
    onDelta?.(content);
  }

  finish(): ModelResponse {
    const { modelId } = this.#context;
    // Some servers name a reason only if it is not `stop`.
    const isSaid = this.#isEnded && (this.#text !== "" || this.#calls.length > 0);
    if (this.#finishReason === undefined && !isSaid) {
      const what = this.#last === undefined ? "an empty answer" : preview(this.#last, 200);
      throw unreadableAnswer(modelId, `ended its stream before the answer did; last came ${what}`);
    }
    return assemble(
      {
        id: this.#id,
        text: this.#text,
        refusal: this.#refusal,
        calls: this.#calls.map((call, index) => ({
          ...call,
          id: call.id || madeUpId(this.#context, index),
        })),
        finishReason: this.#finishReason,
        usage: this.#usage,
        kept: this.#kept,
      },
      this.#context,
    );
  }

  #keep(target: Record<string, JsonValue>, added: JsonObject): void {
    if (added === NONE) return;
    this.#bound.add(JSON.stringify(added).length);
    append(target, added);
  }

  #addCall(delta: { readonly [key: string]: unknown }): void {
    const index = delta["index"];
    const id = textOf(delta["id"]);
    const called = fieldsOf(delta["function"]);
    const name = textOf(called["name"]);
    const added = asText(called["arguments"]);
    // Arguments without a name, an id and an index belong to the call before them.
    let call =
      this.#callByIndex.get(index) ?? (name === "" && id === "" ? this.#calls.at(-1) : undefined);
    // Some servers number every call 0, or omit the number: another id is another call, and so is a name after a whole
    // call.
    if (
      call === undefined ||
      (id !== "" && call.id !== "" && call.id !== id) ||
      (name !== "" && beginsAnother(call, name, added))
    ) {
      call = { id, name: "", arguments: "", kept: {} };
      this.#calls.push(call);
      this.#callByIndex.set(index, call);
    }
    call.id ||= id;
    call.name = name || call.name;
    call.arguments += added;
    this.#bound.add(added.length + name.length + id.length);
    this.#keep(call.kept, kept(delta, KEPT_CALL_FIELDS));
    this.#listeners.onToolDelta?.({
      index: this.#calls.indexOf(call),
      id: call.id,
      name: call.name,
      arguments: added,
    });
  }
}

type Assembled = {
  readonly id: string;
  readonly text: string;
  readonly refusal: string;
  readonly calls: readonly (ToolCall & { readonly kept: JsonObject })[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly kept: JsonObject;
};

function assemble(message: Assembled, { modelId, price }: ResponseContext): ModelResponse {
  const { id, text, refusal, calls, finishReason, usage } = message;
  const isRefused = text === "" && refusal !== "" && calls.length === 0;
  const end = endOf({
    modelId,
    table: CHAT_ENDS,
    reason: isRefused ? "refusal" : finishReason,
    hasCalls: calls.length > 0,
    text: text || refusal,
  });
  const providerParts = partsToKeep(message);
  return {
    text,
    toolCalls: calls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: once(call.arguments) || "{}",
    })),
    ...end,
    usage: usageFrom(usage, price),
    ...(id === "" ? {} : { responseId: id }),
    ...(providerParts.length === 0 ? {} : { providerParts }),
  };
}

/** Parts are only required back beside tool calls; elsewhere some providers even refuse them. */
function partsToKeep({ calls, kept: fields }: Assembled): JsonObject[] {
  if (calls.length === 0) return [];
  const parts: JsonObject[] = calls
    .filter((call) => Object.keys(call.kept).length > 0)
    .map((call) => ({ type: "openai.tool_call", id: call.id, fields: call.kept }));
  return Object.keys(fields).length > 0 ? [{ type: "openai.message", fields }, ...parts] : parts;
}

const NONE: JsonObject = {};

function kept(fields: { readonly [key: string]: unknown }, names: readonly string[]): JsonObject {
  let found: Record<string, JsonValue> | undefined;
  for (const name of names) {
    const value = fields[name];
    if (value === undefined || value === null || !isJson(value)) continue;
    found ??= {};
    found[name] = value;
  }
  return found ?? NONE;
}

/** Streamed fields grow: texts and lists by their ends, the rest is replaced. */
function append(target: Record<string, JsonValue>, added: JsonObject): void {
  for (const [name, value] of Object.entries(added)) {
    const before = target[name];
    if (typeof before === "string" && typeof value === "string") target[name] = before + value;
    else if (Array.isArray(before) && Array.isArray(value)) target[name] = [...before, ...value];
    else if (isJsonObject(before) && isJsonObject(value)) target[name] = { ...before, ...value };
    else target[name] = value;
  }
}

/** Some servers send the arguments a second time, whole, at the end of their stream. */
function once(text: string): string {
  const half = text.slice(0, text.length / 2);
  return half.startsWith("{") && half.endsWith("}") && half + half === text ? half : text;
}

/** Throws for a choice with an error: OpenRouter has already sent its status when the server behind it fails. */
function failWith(choice: unknown, { modelId }: ResponseContext): void {
  const { error } = fieldsOf(choice);
  if (isFields(error)) throw providerError({ modelId, cause: undefined, ...saidIn(error) }, 0);
}

/** Some servers repeat the name with every piece: another call has its own arguments, or another name. */
function beginsAnother(call: PartialCall, name: string, added: string): boolean {
  if (call.name === "" || (name === call.name && added === "")) return false;
  return (
    parsedObject(call.arguments || "{}") !== undefined &&
    (call.arguments !== "" || name !== call.name)
  );
}

/** Returns the thoughts of a message or of a piece of one, in the field of any server. */
function thoughtsIn(message: { readonly [key: string]: unknown }): string {
  return (
    textOf(message["reasoning_content"]) ||
    textOf(message["reasoning"]) ||
    contentThoughts(message["content"])
  );
}

/** Gemini streams its thoughts as content, marked beside it. */
function isGeminiThought(delta: { readonly [key: string]: unknown }): boolean {
  return fieldsOf(fieldsOf(delta["extra_content"])["google"])["thought"] === true;
}

function madeUpId({ turn }: ResponseContext, index: number): string {
  return `call_${turn}_${index}`;
}
