import { awsFrame } from "./aws-frames.ts";
import { pieces } from "./model-server-openai.ts";
import type { ServedReply, ServedRequest } from "./model-server.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A whole answer of Converse. */
export function bedrockAnswer(request: ServedRequest, reply: ServedReply): Fields {
  return {
    output: { message: { role: "assistant", content: blocks(request, reply) } },
    stopReason: stopReason(reply),
    usage: usage(reply),
    metrics: { latencyMs: 12 },
  };
}

/** The same as frames of an event stream. Text and thinking begin with their first piece, as Bedrock sends them. */
export function bedrockEvents(request: ServedRequest, reply: ServedReply): readonly Buffer[] {
  return [
    event("messageStart", { role: "assistant" }),
    ...blocks(request, reply).flatMap(blockEvents),
    event("messageStop", { stopReason: stopReason(reply) }),
    event("metadata", { usage: usage(reply), metrics: { latencyMs: 12 } }),
  ];
}

/** A failure in the middle of a stream. */
export function bedrockException({ error }: ServedReply): Buffer {
  const { type = "internalServerException", message = "scripted" } = ((
    error as { readonly error?: Fields } | undefined
  )?.error ?? {}) as { readonly type?: string; readonly message?: string };
  return awsFrame(
    {
      ":exception-type": type,
      ":content-type": "application/json",
      ":message-type": "exception",
    },
    { message },
  );
}

function event(type: string, payload: Fields): Buffer {
  return awsFrame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    // Bedrock pads its events, so that their lengths tell nothing.
    { ...payload, p: "abcdefghij".slice(0, 3 + (type.length % 7)) },
  );
}

function blockEvents(block: Fields, contentBlockIndex: number): Buffer[] {
  const delta = (fields: Fields): Buffer =>
    event("contentBlockDelta", { contentBlockIndex, delta: fields });
  const end = event("contentBlockStop", { contentBlockIndex });
  const use = block["toolUse"] as
    | { readonly toolUseId: string; readonly name: string; readonly input: unknown }
    | undefined;
  if (use !== undefined) {
    const { input, ...start } = use;
    const json = typeof input === "string" ? input : JSON.stringify(input);
    const middle = Math.ceil(json.length / 2);
    return [
      event("contentBlockStart", { contentBlockIndex, start: { toolUse: start } }),
      ...[json.slice(0, middle), json.slice(middle)].map((half) =>
        delta({ toolUse: { input: half } }),
      ),
      end,
    ];
  }
  const reasoning = block["reasoningContent"] as
    | { readonly reasoningText: { readonly text: string; readonly signature: string } }
    | undefined;
  if (reasoning !== undefined) {
    const { text, signature } = reasoning.reasoningText;
    return [
      ...pieces(text).map((piece) => delta({ reasoningContent: { text: piece } })),
      delta({ reasoningContent: { signature } }),
      end,
    ];
  }
  return [...pieces(String(block["text"])).map((text) => delta({ text })), end];
}

function blocks({ index: request }: ServedRequest, reply: ServedReply): readonly Fields[] {
  const { text = "", thinking, toolCalls = [] } = reply;
  return [
    ...(thinking === undefined ? [] : [{ reasoningContent: { reasoningText: thinking } }]),
    ...(text === "" && toolCalls.length > 0 ? [] : [{ text }]),
    ...toolCalls.map((call, index) => ({
      toolUse: {
        toolUseId: call.id ?? `tooluse_${request}_${index}`,
        name: call.name,
        input: call.arguments,
      },
    })),
  ];
}

function stopReason({ stopReason: reason, toolCalls = [] }: ServedReply): string {
  return reason ?? (toolCalls.length > 0 ? "tool_use" : "end_turn");
}

function usage(reply: ServedReply): Fields {
  const { promptTokens = 10, completionTokens = 5, cachedTokens, cacheCreationTokens } = reply;
  return {
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(cachedTokens === undefined ? {} : { cacheReadInputTokens: cachedTokens }),
    ...(cacheCreationTokens === undefined ? {} : { cacheWriteInputTokens: cacheCreationTokens }),
  };
}
