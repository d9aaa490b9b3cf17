import { preview } from "../../../base/json.ts";
import type { ModelResponse, StreamListeners, ToolCall } from "../../language-model.ts";
import type { Price } from "../../model-data.ts";
import { TextBound } from "../../answer-bounds.ts";
import { endOf, RESPONSES_ENDS } from "../../answer-end.ts";
import { providerError, unreadableAnswer } from "../../provider-failure.ts";
import { asText, fieldsOf, isFields, isJson, listOf, textOf, type Fields } from "../../wire.ts";
import { usageFrom } from "../usage.ts";
import { imagesIn, withoutImage } from "./builtin-tools.ts";
import { messageText, partsToKeep, RESPONSE_PART } from "./kept-parts.ts";
import { COMPUTER_TOOL } from "./to-request.ts";

export type ResponseContext = {
  readonly modelId: string;
  readonly price: Price | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** True if the provider stores the response, and the conversation continues from it. */
  readonly chains: boolean;
  readonly parsesToolOutputs: boolean;
};

/** Reads a whole response. */
export function fromResponse(response: unknown, context: ResponseContext): ModelResponse {
  const fields = fieldsOf(response);
  const failure = fieldsOf(fields["error"]);
  if (fields["status"] === "failed" || textOf(failure["message"]) !== "") {
    throw failed(failure, context);
  }
  if (!Array.isArray(fields["output"])) {
    throw unreadableAnswer(context.modelId, `sent no output but ${preview(response, 200)}`);
  }
  const items = listOf(fields["output"]).filter(isFields);
  const text = items
    .filter(({ type }) => type === "message")
    .map(messageText)
    .join("");
  const toolCalls = items.flatMap(toolCall);
  const refusal = text === "" && toolCalls.length === 0 ? refusalIn(items) : "";
  const reason = fieldsOf(fields["incomplete_details"])["reason"] ?? fields["status"];
  const end = endOf({
    modelId: context.modelId,
    table: RESPONSES_ENDS,
    reason: refusal === "" ? reason : "refusal",
    hasCalls: toolCalls.length > 0,
    text: text || refusal,
  });
  const id = textOf(fields["id"]);
  const thinking = items
    .filter(({ type }) => type === "reasoning")
    .flatMap((item) => [...listOf(item["summary"]), ...listOf(item["content"])])
    .map((part) => textOf(fieldsOf(part)["text"]))
    .filter((part) => part !== "")
    .join("\n\n");
  const providerParts = [
    ...partsToKeep(items),
    ...(context.chains && id !== "" ? [{ type: RESPONSE_PART, id }] : []),
  ];
  const builtin = context.parsesToolOutputs
    ? items
        .filter(isBuiltinCall)
        .map(withoutImage)
        .filter((item) => item !== undefined)
    : undefined;
  const images = imagesIn(items);
  return {
    text,
    toolCalls,
    ...end,
    usage: usageFrom(fields["usage"], context.price),
    ...(id === "" ? {} : { responseId: id }),
    ...(thinking === "" ? {} : { thinking }),
    ...(providerParts.length === 0 ? {} : { providerParts }),
    ...(builtin === undefined ? {} : { builtinToolCalls: builtin }),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Reads the events of a stream, telling the listeners as they come; the last of them holds the whole response. */
export async function fromStream(
  events: AsyncIterable<unknown>,
  context: ResponseContext,
  { onDelta, onThinking, onToolDelta }: StreamListeners,
): Promise<ModelResponse> {
  const calls = new Map<
    unknown,
    { readonly index: number; readonly id: string; readonly name: string }
  >();
  const bound = new TextBound(context.modelId);
  let last: unknown;
  for await (const event of events) {
    last = event;
    const fields = fieldsOf(event);
    const delta = textOf(fields["delta"]);
    // Listeners store the text.
    bound.add(delta.length);
    switch (fields["type"]) {
      case "response.output_text.delta":
        if (delta !== "") onDelta?.(delta);
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        if (delta !== "") onThinking?.(delta);
        break;
      case "response.output_item.added": {
        const item = fieldsOf(fields["item"]);
        if (item["type"] !== "function_call") break;
        const call = { index: calls.size, id: textOf(item["call_id"]), name: textOf(item["name"]) };
        calls.set(fields["output_index"], call);
        onToolDelta?.({ ...call, arguments: "" });
        break;
      }
      case "response.function_call_arguments.delta": {
        const call = calls.get(fields["output_index"]);
        if (call && delta !== "") onToolDelta?.({ ...call, arguments: delta });
        break;
      }
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return fromResponse(fields["response"], context);
      case "error":
        throw failed(fields, context);
      default:
        // A server without streaming answers with the whole response.
        if (fields["object"] === "response") {
          const whole = fromResponse(event, context);
          if (whole.text !== "") onDelta?.(whole.text);
          return whole;
        }
    }
  }
  const what = last === undefined ? "an empty answer" : preview(last, 200);
  throw unreadableAnswer(
    context.modelId,
    `ended its stream before the answer did; last came ${what}`,
  );
}

function failed(error: Fields, { modelId, nowMs }: ResponseContext): Error {
  const message = textOf(error["message"]) || "no reason stated";
  return providerError(
    { modelId, providerCode: textOf(error["code"]), message, cause: undefined },
    nowMs,
  );
}

function toolCall(item: Fields): ToolCall[] {
  const id = textOf(item["call_id"]);
  if (item["type"] === "function_call") {
    return [{ id, name: textOf(item["name"]), arguments: asText(item["arguments"]) || "{}" }];
  }
  if (item["type"] !== "computer_call") return [];
  const actions = item["actions"] ?? (item["action"] === undefined ? [] : [item["action"]]);
  return [{ id, name: COMPUTER_TOOL, arguments: JSON.stringify({ actions }) }];
}

function refusalIn(items: readonly Fields[]): string {
  return items
    .flatMap((item) => listOf(item["content"]))
    .map((part) => textOf(fieldsOf(part)["refusal"]))
    .join("");
}

function isBuiltinCall(item: Fields): boolean {
  const type = textOf(item["type"]);
  return type.endsWith("_call") && type !== "function_call" && isJson(item);
}
