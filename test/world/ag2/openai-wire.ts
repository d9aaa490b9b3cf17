// Answers in the form of OpenAI's chat completions, whole or as a stream.
import type { ServerResponse } from "node:http";
import { sendJson } from "../support/loopback-server.ts";

export type WireAnswer = {
  readonly id: string;
  readonly model: string | undefined;
  readonly text: string | undefined;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
};

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

export function sendAnswer(
  response: ServerResponse,
  { id, model, text, calls }: WireAnswer,
  isStream: boolean,
): void {
  const toolCalls = calls.map((call, index) => ({
    id: `call_${id}_${index}`,
    type: "function",
    function: call,
  }));
  const content = calls.length > 0 ? (text ?? null) : (text ?? "");
  const finish = calls.length > 0 ? "tool_calls" : "stop";
  const head = { id, created: 1, model };
  if (!isStream) {
    const message = {
      role: "assistant",
      content,
      ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
    };
    sendJson(response, {
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage: USAGE,
    });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (choices: readonly object[], more: object = {}): void =>
    void response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`,
    );
  const delta = (part: object, reason: string | null = null): void =>
    chunk([{ index: 0, delta: part, finish_reason: reason }]);
  delta({ role: "assistant", content: calls.length > 0 ? null : "" });
  for (const part of (content ?? "").match(/[\s\S]{1,5}/g) ?? []) delta({ content: part });
  for (const [index, call] of toolCalls.entries()) {
    const { name, arguments: input } = call.function;
    delta({ tool_calls: [{ ...call, index, function: { name, arguments: "" } }] });
    for (const part of input.match(/[\s\S]{1,7}/g) ?? [])
      delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  delta({}, finish);
  chunk([], { usage: USAGE });
  response.end("data: [DONE]\n\n");
}
