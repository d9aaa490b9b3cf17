// Answers of Converse in the form of Anthropic's messages: both have blocks of text, of thinking and of calls, one after the other.
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../wire.ts";

/** Returns a whole answer. One without content stays unchanged, for the error to quote. */
export function toMessage(answer: unknown): unknown {
  const fields = fieldsOf(answer);
  const { content } = fieldsOf(fieldsOf(fields["output"])["message"]);
  if (!Array.isArray(content)) return answer;
  return {
    content: content.filter(isFields).map(toBlock),
    stop_reason: fields["stopReason"],
    usage: toUsage(fields["usage"]),
  };
}

/** Converts the events of a stream. A whole answer is one event. */
export async function* toEvents(
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Fields> {
  const begun = new Set<unknown>();
  for await (const chunk of chunks) {
    const event = fieldsOf(chunk);
    if ("output" in event) yield { type: "message", ...fieldsOf(toMessage(event)) };
    const { contentBlockIndex: begins, start: call } = fieldsOf(event["contentBlockStart"]);
    // Text and thinking begin with their first piece.
    if (isFields(call) && isFields(call["toolUse"])) {
      begun.add(begins);
      yield { type: "content_block_start", index: begins, content_block: toBlock(call) };
    }
    if (isFields(event["contentBlockDelta"])) {
      const { contentBlockIndex: index, delta } = event["contentBlockDelta"];
      const { start, piece } = toDelta(fieldsOf(delta));
      if (!begun.has(index)) yield { type: "content_block_start", index, content_block: start };
      begun.add(index);
      yield { type: "content_block_delta", index, delta: piece };
    }
    if (isFields(event["messageStop"])) {
      const { stopReason } = event["messageStop"];
      yield { type: "message_delta", delta: { stop_reason: stopReason } };
      yield { type: "message_stop" };
    }
    if (isFields(event["metadata"]))
      yield { type: "message_start", message: { usage: toUsage(event["metadata"]["usage"]) } };
  }
}

/** Converts a block, or the start of one. Other kinds of blocks stay unchanged and have no effect. */
function toBlock(block: Fields): Fields {
  if (typeof block["text"] === "string") return { type: "text", text: block["text"] };
  const use = block["toolUse"];
  if (isFields(use) && use["type"] !== "server_tool_use")
    return { type: "tool_use", id: use["toolUseId"], name: use["name"], input: use["input"] };
  const reasoning = block["reasoningContent"];
  if (isFields(reasoning)) return toThinking(reasoning);
  // Words with sources
  if (isFields(block["citationsContent"])) {
    const pieces = listOf(block["citationsContent"]["content"]);
    return { type: "text", text: pieces.map((piece) => textOf(fieldsOf(piece)["text"])).join("") };
  }
  return block;
}

function toThinking({ reasoningText, redactedContent }: Fields): Fields {
  if (redactedContent !== undefined) return { type: "redacted_thinking", data: redactedContent };
  const { text, signature } = fieldsOf(reasoningText);
  return { type: "thinking", thinking: text, ...(signature === undefined ? {} : { signature }) };
}

/** Converts a piece of a block, with the start of the block for its first piece. */
function toDelta(delta: Fields): { readonly start: Fields; readonly piece: Fields } {
  const { text, toolUse, reasoningContent } = delta;
  if (isFields(toolUse)) {
    const piece = { type: "input_json_delta", partial_json: toolUse["input"] };
    return { start: { type: "tool_use" }, piece };
  }
  if (!isFields(reasoningContent))
    return { start: { type: "text", text: "" }, piece: { type: "text_delta", text } };
  const { redactedContent, signature } = reasoningContent;
  if (redactedContent !== undefined) return { start: toThinking(reasoningContent), piece: {} };
  const piece =
    signature === undefined
      ? { type: "thinking_delta", thinking: reasoningContent["text"] }
      : { type: "signature_delta", signature };
  return { start: { type: "thinking", thinking: "" }, piece };
}

/** Counts. Cached tokens are beside those of the input, as at Anthropic. */
function toUsage(usage: unknown): Fields {
  const fields = fieldsOf(usage);
  return {
    input_tokens: fields["inputTokens"],
    output_tokens: fields["outputTokens"],
    cache_read_input_tokens: fields["cacheReadInputTokens"],
    cache_creation_input_tokens: fields["cacheWriteInputTokens"],
  };
}
