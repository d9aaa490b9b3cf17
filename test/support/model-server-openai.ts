import type { ServedReply, ServedRequest } from "./model-server.ts";

type Answer = Readonly<Record<string, unknown>>;

/** A whole `chat.completion`. */
export function openaiAnswer(request: ServedRequest, reply: ServedReply): Answer {
  const { text = "", toolCalls = [] } = reply;
  return {
    ...envelope(request, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && toolCalls.length > 0 ? null : text,
          refusal: reply.refusal ?? null,
          ...(reply.thinking ? { reasoning_content: reply.thinking.text } : {}),
          ...(toolCalls.length > 0 ? { tool_calls: calls(request, reply) } : {}),
        },
        finish_reason: finishReason(reply),
      },
    ],
    usage: usage(reply),
  };
}

/** The same as server-sent events: pieces of text, pieces of arguments, finish, usage, `[DONE]`. */
export function openaiEvents(request: ServedRequest, reply: ServedReply): readonly string[] {
  const chunk = (delta: Answer, rest: Answer = { finish_reason: null }): Answer => ({
    ...envelope(request, "chat.completion.chunk"),
    choices: [{ index: 0, delta, ...rest }],
  });
  const argumentPieces = calls(request, reply).flatMap(({ index, id, type, function: called }) => {
    const middle = Math.ceil(called.arguments.length / 2);
    const halves = [called.arguments.slice(0, middle), called.arguments.slice(middle)];
    return [
      chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }),
      ...halves.map((half) => chunk({ tool_calls: [{ index, function: { arguments: half } }] })),
    ];
  });
  const wantsUsage =
    (request.body["stream_options"] as { include_usage?: boolean } | undefined)?.include_usage ===
    true;
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces(reply.thinking?.text ?? "").map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(reply.text ?? "").map((content) => chunk({ content })),
    ...pieces(reply.refusal ?? "").map((refusal) => chunk({ refusal })),
    ...argumentPieces,
    chunk({}, { finish_reason: finishReason(reply) }),
    ...(wantsUsage
      ? [{ ...envelope(request, "chat.completion.chunk"), choices: [], usage: usage(reply) }]
      : []),
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .concat("data: [DONE]\n\n");
}

export function pieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function calls({ index: request }: ServedRequest, { toolCalls = [] }: ServedReply) {
  return toolCalls.map((call, index) => ({
    index,
    id: call.id ?? `call_${request}_${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments:
        typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
}

function envelope({ index, model }: ServedRequest, object: string): Answer {
  return { id: `chatcmpl-${index}`, object, created: 1_780_000_000, model };
}

function finishReason({ stopReason, toolCalls = [] }: ServedReply): string {
  return stopReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
}

function usage(reply: ServedReply): Answer {
  const { promptTokens = 10, completionTokens = 5, cachedTokens = 0, reasoningTokens = 0 } = reply;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
