import { pieces } from "./model-server-openai.ts";
import type { ServedReply, ServedRequest } from "./model-server.ts";

type Answer = Readonly<Record<string, unknown>>;

/** A whole `GenerateContentResponse`. */
export function geminiAnswer(request: ServedRequest, reply: ServedReply): Answer {
  return chunk(request, parts(reply), reply);
}

/** The same as server-sent events, a piece in each; the last has the end and the counts. */
export function geminiEvents(request: ServedRequest, reply: ServedReply): readonly string[] {
  const all = parts(reply).flatMap((part) => {
    const { text, ...rest } = part;
    return typeof text === "string" && text !== ""
      ? pieces(text).map((piece) => ({ text: piece, ...rest }))
      : [part];
  });
  return all.map((part, index) => {
    const isLast = index === all.length - 1;
    return `data: ${JSON.stringify(chunk(request, [part], isLast ? reply : undefined))}\n\n`;
  });
}

function chunk(
  { model, index }: ServedRequest,
  content: readonly Answer[],
  end?: ServedReply,
): Answer {
  return {
    candidates: [
      {
        content: { role: "model", parts: content },
        index: 0,
        ...(end === undefined ? undefined : { finishReason: end.stopReason ?? "STOP" }),
      },
    ],
    ...(end === undefined ? undefined : { usageMetadata: usage(end) }),
    modelVersion: model,
    responseId: `gemini-${index}`,
  };
}

function parts({ text = "", thinking, toolCalls = [] }: ServedReply): readonly Answer[] {
  return [
    ...(thinking === undefined ? [] : [{ text: thinking.text, thought: true }]),
    ...(text === "" && toolCalls.length > 0 ? [] : [{ text }]),
    ...toolCalls.map(({ id, name, arguments: args }, index) => ({
      functionCall: {
        ...(id === undefined ? undefined : { id }),
        name,
        args: typeof args === "string" ? (JSON.parse(args) as unknown) : args,
      },
      ...(index === 0 && thinking !== undefined
        ? { thoughtSignature: thinking.signature }
        : undefined),
    })),
  ];
}

function usage(reply: ServedReply): Answer {
  const { promptTokens = 10, completionTokens = 5, reasoningTokens = 0, cachedTokens = 0 } = reply;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens,
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cachedTokens,
    totalTokenCount: promptTokens + completionTokens + reasoningTokens,
  };
}
