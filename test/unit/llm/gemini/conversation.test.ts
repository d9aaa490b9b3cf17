import { describe, expect, it } from "vitest";
import {
  appendMessage,
  sentContents,
  startConversation,
} from "../../../../src/llm/gemini/conversation.ts";
import { fromResponse, fromStream } from "../../../../src/llm/gemini/from-response.ts";
import type { Message, ToolCall } from "../../../../src/llm/language-model.ts";

const READER = { id: "gemini/gemini-2.5-pro", capabilities: { tools: true } as never };
const GEMINI_3 = { ...READER, id: "gemini/gemini-3-pro-preview" };

function contents(messages: readonly Message[], reader = READER): unknown[] {
  const conversation = startConversation();
  for (const message of messages) appendMessage(conversation, message, reader);
  return sentContents(conversation);
}

const user = (content: string): Message => ({ role: "user", content });
const call = (id: string, name: string, args: object = {}): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(args),
});
const calling = (...toolCalls: ToolCall[]): Message => ({
  role: "assistant",
  content: "",
  toolCalls,
});
const result = (toolCallId: string, content: string, toolName = "?"): Message => ({
  role: "tool",
  toolCallId,
  toolName,
  content,
});
const called = (name: string, args: object = {}): object => ({ functionCall: { name, args } });
const answered = (name: string, text: string): object => ({
  functionResponse: { name, response: { result: text } },
});

const answer = (parts: object[], more: object = {}) =>
  fromResponse(
    { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], ...more },
    { modelId: "gemini/m", price: undefined, turn: 3 },
  );

/** The message that an answer becomes in its conversation. */
function kept({ text, toolCalls, providerParts }: ReturnType<typeof answer>): Message {
  return {
    role: "assistant",
    content: text,
    toolCalls,
    ...(providerParts === undefined ? {} : { providerParts }),
  };
}

describe("NW2: results of calls", () => {
  it("name the tool of their own call when two tools were called under one id", () => {
    const messages = [
      user("Go"),
      calling(call("0", "weather")),
      result("0", "Sun"),
      calling(call("0", "news"), call("0", "stocks")),
      result("0", "Quiet"),
      result("0", "Up"),
    ];
    expect(contents(messages).slice(1)).toEqual([
      { role: "model", parts: [called("weather")] },
      { role: "user", parts: [answered("weather", "Sun")] },
      { role: "model", parts: [called("news"), called("stocks")] },
      { role: "user", parts: [answered("news", "Quiet"), answered("stocks", "Up")] },
    ]);
  });

  it("stand in the order of their calls, before the next user text", () => {
    const messages = [
      user("Go"),
      calling(call("a", "t", { n: 1 }), call("b", "t", { n: 2 }), call("c", "t", { n: 3 })),
      result("c", "three"),
      user("Well?"),
      result("a", "one"),
      result("b", "two"),
    ];
    expect(contents(messages)[2]).toEqual({
      role: "user",
      parts: [
        answered("t", "one"),
        answered("t", "two"),
        answered("t", "three"),
        { text: "Well?" },
      ],
    });
  });

  it("have the id from Gemini, and no other", () => {
    const first = answer([
      { functionCall: { id: "fc-1", name: "t", args: {} } },
      { functionCall: { name: "t", args: {} } },
    ]);
    expect(first.toolCalls.map(({ id }) => id)).toEqual(["fc-1", "call_3_1"]);
    const messages = [user("Go"), kept(first), result("call_3_1", "two"), result("fc-1", "one")];
    expect(contents(messages).slice(1)).toEqual([
      {
        role: "model",
        parts: [{ functionCall: { id: "fc-1", name: "t", args: {} } }, called("t")],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "fc-1", name: "t", response: { result: "one" } } },
          answered("t", "two"),
        ],
      },
    ]);
  });

  it("without a call in the conversation keep their own name", () => {
    expect(contents([user("Go"), result("x", "found", "search")])).toEqual([
      { role: "user", parts: [{ text: "Go" }, answered("search", "found")] },
    ]);
  });
});

describe("NW3: signatures of thoughts", () => {
  it("go back with their calls and pieces of text", () => {
    const parts = [
      { text: "Thinking.", thought: true, thoughtSignature: "s0" },
      { text: "Let me " },
      { text: "look.", thoughtSignature: "s1" },
      { functionCall: { name: "t", args: { a: 1 } }, thoughtSignature: "s2" },
      { functionCall: { name: "t", args: { a: 2 } } },
    ];
    const first = answer(parts);
    expect(first.text).toBe("Let me look.");
    expect(contents([user("Go"), kept(first)], GEMINI_3)[1]).toEqual({ role: "model", parts });
  });

  it("may come at the end of a stream, with an empty piece", async () => {
    async function* chunks(): AsyncGenerator {
      yield { candidates: [{ content: { parts: [{ text: "Rome " }] } }] };
      yield { candidates: [{ content: { parts: [{ text: "it is." }] } }] };
      const parts = [{ text: "", thoughtSignature: "s" }];
      yield { candidates: [{ content: { parts }, finishReason: "STOP" }] };
    }
    const context = { modelId: "gemini/m", price: undefined, turn: 1 };
    const { text, toolCalls, providerParts } = await fromStream(chunks(), context, {});
    const message = kept({ text, toolCalls, providerParts } as never);
    expect(contents([user("Go"), message])[1]).toEqual({
      role: "model",
      parts: [{ text: "Rome it is." }, { text: "", thoughtSignature: "s" }],
    });
  });

  it("are left out of changed text", () => {
    const { providerParts, ...first } = answer([{ text: "Rome.", thoughtSignature: "s" }]);
    const message = kept({ ...first, text: "Roma!!", providerParts } as never);
    expect(contents([user("Go"), message])[1]).toEqual({
      role: "model",
      parts: [{ text: "Roma!!" }],
    });
  });

  it("of another model's calls become Google's skip signature, from Gemini 3 on", () => {
    const messages = [user("Go"), calling(call("a", "t"), call("b", "t")), result("a", "1")];
    const signed = { ...called("t"), thoughtSignature: "skip_thought_signature_validator" };
    expect(contents(messages, GEMINI_3)[1]).toEqual({
      role: "model",
      parts: [signed, called("t")],
    });
    expect(contents(messages)[1]).toEqual({ role: "model", parts: [called("t"), called("t")] });
  });
});

describe("a conversation with Gemini", () => {
  it("begins and ends with the user, and has no empty text", () => {
    const assistant: Message = { role: "assistant", content: "Yes?" };
    expect(contents([assistant])).toEqual([
      { role: "user", parts: [{ text: "Hello." }] },
      { role: "model", parts: [{ text: "Yes?" }] },
      { role: "user", parts: [{ text: "Please go on." }] },
    ]);
    expect(contents([user(" ")])).toEqual([{ role: "user", parts: [{ text: "(empty)" }] }]);
  });
});
