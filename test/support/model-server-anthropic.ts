import { pieces } from "./model-server-openai.ts";
import type { ServedReply, ServedRequest } from "./model-server.ts";

type Fields = Readonly<Record<string, unknown>>;

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: "server_tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | { readonly type: "tool_search_tool_result"; readonly tool_use_id: string };

/** A whole message. */
export function anthropicAnswer(request: ServedRequest, reply: ServedReply): Fields {
  return {
    ...envelope(request),
    content: blocks(request, reply),
    stop_reason: stopReason(reply),
    usage: { ...inputUsage(reply), ...outputUsage(reply) },
  };
}

/** The same as server-sent events. */
export function anthropicEvents(request: ServedRequest, reply: ServedReply): readonly string[] {
  const start = {
    ...envelope(request),
    content: [],
    stop_reason: null,
    usage: { ...inputUsage(reply), output_tokens: 1 },
  };
  const events: Fields[] = [
    { type: "message_start", message: start },
    { type: "ping" },
    ...blocks(request, reply).flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason: stopReason(reply) }, usage: outputUsage(reply) },
    { type: "message_stop" },
  ];
  return events.map(
    (event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`,
  );
}

function blockEvents(block: Block, index: number): Fields[] {
  return [
    { type: "content_block_start", index, content_block: emptied(block) },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function emptied(block: Block): Fields {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return "input" in block ? { ...block, input: {} } : block;
}

function deltas(block: Block): Fields[] {
  if (block.type === "text") {
    return pieces(block.text).map((text) => ({ type: "text_delta", text }));
  }
  if (block.type === "thinking") {
    return [
      ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: block.signature },
    ];
  }
  if (!("input" in block)) return [];
  const json = JSON.stringify(block.input);
  const middle = Math.ceil(json.length / 2);
  return ["", json.slice(0, middle), json.slice(middle)].map((piece) => ({
    type: "input_json_delta",
    partial_json: piece,
  }));
}

function blocks({ index: request }: ServedRequest, reply: ServedReply): Block[] {
  const { text = "", toolCalls = [], thinking } = reply;
  return [
    ...(thinking
      ? [{ type: "thinking" as const, thinking: thinking.text, signature: thinking.signature }]
      : []),
    ...(reply.parts ?? []).map((part) => part as Block),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...toolCalls.map((call, index) => ({
      type: "tool_use" as const,
      id: call.id ?? `toolu_${request}_${index}`,
      name: call.name,
      input:
        typeof call.arguments === "string"
          ? (JSON.parse(call.arguments) as unknown)
          : call.arguments,
    })),
  ];
}

function envelope({ index, model }: ServedRequest): Fields {
  return { id: `msg_${index}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function stopReason({ stopReason: given, toolCalls = [] }: ServedReply): string {
  return given ?? (toolCalls.length > 0 ? "tool_use" : "end_turn");
}

function inputUsage(reply: ServedReply): Fields {
  return {
    input_tokens: reply.promptTokens ?? 10,
    cache_read_input_tokens: reply.cachedTokens ?? 0,
    cache_creation_input_tokens: reply.cacheCreationTokens ?? 0,
  };
}

function outputUsage(reply: ServedReply): Fields {
  return {
    output_tokens: reply.completionTokens ?? 5,
    output_tokens_details: { thinking_tokens: reply.reasoningTokens ?? 0 },
  };
}
