// Requests of our own wires for conversations of many kinds, as a model server got them.
import { toBase64 } from "../../../src/base/bytes.ts";
import type { Message, ModelRequest } from "../../../src/llm/language-model.ts";
import { resolveModel } from "../../../src/llm/resolve-model.ts";
import type { ModelServer } from "../../support/model-server.ts";

export type Sent = { readonly name: string; readonly dialect: string; readonly body: object };

const tools = [
  {
    name: "weather",
    description: "Tells the weather.",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: ["integer", "null"] } },
      required: ["city"],
      additionalProperties: false,
    },
  },
] as const;
const call = (id: string, city: string) => ({
  id,
  name: "weather",
  arguments: JSON.stringify({ city }),
});
const user = (content: string): Message => ({ role: "user", content });
const calls: Message = {
  role: "assistant",
  content: "Looking.",
  toolCalls: [call("call_a", "Rome"), call("functions.weather:1", "Oslo")],
};
const result = (toolCallId: string, content: string): Message => ({
  role: "tool",
  toolCallId,
  toolName: "weather",
  content,
});
const data = toBase64(new TextEncoder().encode("bytes"));

const REQUESTS: Readonly<Record<string, ModelRequest>> = {
  "a text": {
    messages: [{ role: "system", content: "Be brief.", cacheBreakpoint: true }, user("Hi")],
  },
  tools: { messages: [user("Weather?")], tools },
  "a tool that is required": { messages: [user("Weather?")], tools, toolChoice: "required" },
  "results of two calls": {
    messages: [
      user("Weather?"),
      calls,
      result("functions.weather:1", "Snow"),
      result("call_a", ""),
      user("And?"),
    ],
    tools,
  },
  "an answer in words": {
    messages: [
      user("Weather?"),
      calls,
      result("call_a", "Sun"),
      result("functions.weather:1", "Snow"),
    ],
    tools,
    toolChoice: "none",
  },
  thoughts: {
    messages: [
      user("Weather?"),
      {
        role: "assistant",
        content: "Looking.",
        toolCalls: [call("call_a", "Rome")],
        providerParts: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "redacted_thinking", data },
          { type: "anthropic.text", length: 8 },
          { type: "anthropic.tool_use", id: "call_a" },
          { type: "gemini.call_id", id: "call_a" },
          { type: "gemini.text", of: 8, start: 0, end: 8, signature: "c2ln" },
        ],
      },
      result("call_a", "Sun"),
    ],
    tools,
  },
  "an object": {
    messages: [user("Who?")],
    responseSchema: {
      name: "answer",
      schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
  files: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", data, mediaType: "image/png" },
          { type: "file", data, mediaType: "application/pdf", name: "a_b.v2.pdf" },
          { type: "video", data, mediaType: "video/mp4" },
        ],
      },
    ],
  },
  "stop words": { messages: [user("Hi")], stop: ["END", "STOP"] },
};

const SETTINGS = {
  temperature: 0.5,
  topP: 0.9,
  maxTokens: 100,
  reasoningEffort: "low",
  vision: true,
  pdf: true,
  video: true,
} as const;

/** Models of both wires, of those that differ in what they take. */
const MODELS = [
  "gemini/gemini-2.5-flash",
  "gemini/gemini-3-flash",
  "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "bedrock/amazon.nova-lite-v1:0",
];

/** Sends every request by every model, whole and streamed. */
export async function sentRequests(server: ModelServer): Promise<readonly Sent[]> {
  const variables = {
    GEMINI_API_KEY: "key",
    GEMINI_BASE_URL: `${server.url}/v1beta`,
    BEDROCK_API_KEY: "key",
    BEDROCK_BASE_URL: server.url,
  };
  const sent: Sent[] = [];
  for (const model of MODELS)
    for (const [name, request] of Object.entries(REQUESTS)) {
      const asked = resolveModel({ model, ...SETTINGS }, { variables });
      await asked.generate(request, { signal: AbortSignal.timeout(20_000) });
      const { dialect = "", body = {} } = server.calls.at(-1) ?? {};
      sent.push({ name: `${model}: ${name}`, dialect, body });
    }
  return sent;
}
