// A `fetch` that answers every call in the wire form asked for, and keeps what was sent.

export type Sent = {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

/** `more` are further fields of chat completions. */
export function recordedFetch(more: object = {}): {
  readonly sent: Sent[];
  readonly fetch: typeof fetch;
} {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = (await request.json()) as Record<string, unknown>;
      sent.push({ url: request.url, headers: request.headers, body });
      const [, answer] = ANSWERS.find(([path]) => request.url.includes(path)) ?? [];
      return Response.json(answer === COMPLETION ? { ...answer, ...more } : answer);
    },
  };
}

const COMPLETION = {
  id: "chatcmpl-1",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};

const RESPONSE = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [{ type: "message", id: "m", content: [{ type: "output_text", text: "ok" }] }],
};

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "ok" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

const GENERATED = {
  candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
};

const CONVERSED = {
  output: { message: { role: "assistant", content: [{ text: "ok" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

const ANSWERS = [
  ["/chat/completions", COMPLETION],
  ["/responses", RESPONSE],
  [":generateContent", GENERATED],
  ["/converse", CONVERSED],
  ["", MESSAGE],
] as const;
