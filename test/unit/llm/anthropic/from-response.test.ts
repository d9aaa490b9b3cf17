import { describe, expect, it } from "vitest";
import { fromResponse, fromStream } from "../../../../src/llm/anthropic/from-response.ts";
import { appendMessage, startConversation } from "../../../../src/llm/anthropic/to-request.ts";
import type { ModelResponse } from "../../../../src/llm/language-model.ts";

const context = { modelId: "anthropic/m", price: undefined, answersByTool: false };

const READER = {
  id: "anthropic/m",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: true },
};

function replayed(response: ModelResponse, content = response.text): unknown {
  const { toolCalls, providerParts } = response;
  const conversation = startConversation();
  appendMessage(
    conversation,
    {
      role: "assistant",
      content,
      toolCalls,
      ...(providerParts ? { providerParts } : {}),
    },
    READER,
  );
  return conversation.turns[0]?.content;
}

async function* streamOf(...events: object[]): AsyncGenerator {
  yield* events;
}

const delta = (index: number, given: object): object => ({
  type: "content_block_delta",
  index,
  delta: given,
});

describe("usage", () => {
  it("counts cached input as part of the prompt", () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 3 },
    };
    expect(fromResponse({ content: [], usage }, context).usage).toMatchObject({
      promptTokens: 130,
      cachedPromptTokens: 100,
      cacheCreationTokens: 20,
      completionTokens: 7,
      reasoningTokens: 3,
      totalTokens: 137,
      requests: 1,
    });
  });
});

describe("stop reasons", () => {
  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
  ])("%s without calls is %s", (stop_reason, reason) => {
    expect(fromResponse({ content: [], stop_reason }, context).finishReason).toBe(reason);
  });

  it("WA2: a refusal fails", () => {
    const content = [{ type: "text", text: "I must not." }];
    expect(() => fromResponse({ content, stop_reason: "refusal" }, context)).toThrow(
      expect.objectContaining({ code: "content_filtered" }),
    );
  });

  it("a truncated answer by tool keeps its streamed text", async () => {
    const answering = { ...context, answersByTool: true };
    const cut = { type: "tool_use", id: "t", name: "structured_output", input: {} };
    expect(fromResponse({ content: [cut], stop_reason: "max_tokens" }, answering)).toMatchObject({
      text: "",
      finishReason: "length",
      end: "cut",
    });
    expect(
      fromResponse(
        { content: [{ ...cut, json: '{"items":["tea","cof' }], stop_reason: "max_tokens" },
        answering,
      ),
    ).toMatchObject({ text: '{"items":["tea","cof', end: "cut" });
  });
});

describe("thinking", () => {
  const content = [
    { type: "thinking", thinking: "First…", signature: "s1" },
    { type: "text", text: "Let me look." },
    { type: "redacted_thinking", data: "xyz" },
    { type: "tool_use", id: "a", name: "t", input: { x: 1 } },
    { type: "text", text: " And see." },
    { type: "tool_use", id: "b", name: "t", input: {} },
  ];

  it("goes back unchanged and in its place", () => {
    const response = fromResponse({ content, stop_reason: "tool_use" }, context);
    expect(response).toMatchObject({ text: "Let me look. And see.", thinking: "First…" });
    expect(replayed(response)).toEqual(content);
  });

  it("goes first when the message was changed since", () => {
    const response = fromResponse({ content, stop_reason: "tool_use" }, context);
    expect(replayed(response, "Other words.")).toEqual([
      content[0],
      content[2],
      { type: "text", text: "Other words." },
      content[3],
      content[5],
    ]);
  });

  it("is collected from a stream", async () => {
    const thinking = { type: "thinking", thinking: "", signature: "" };
    const events = streamOf(
      { type: "message_start", message: { id: "m", usage: { input_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: thinking },
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "thinking_delta", thinking: "…" }),
      delta(0, { type: "signature_delta", signature: "sig" }),
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      delta(1, { type: "text_delta", text: "Hi" }),
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 4, input_tokens: null },
      },
      { type: "message_stop" },
    );
    const response = await fromStream(events, context, {});
    expect(response).toMatchObject({ text: "Hi", usage: { promptTokens: 1, completionTokens: 4 } });
    expect(replayed(response)).toEqual([
      { type: "thinking", thinking: "Hm…", signature: "sig" },
      { type: "text", text: "Hi" },
    ]);
  });

  it("is absent from messages without thinking", () => {
    const response = fromResponse({ content: [{ type: "text", text: "Hi" }] }, context);
    expect(response).not.toHaveProperty("providerParts");
  });
});

describe("an answer by tool", () => {
  const byTool = { ...context, answersByTool: true };
  const call = { type: "tool_use", id: "a", name: "structured_output", input: { name: "Ada" } };

  it("is the text of the response", () => {
    expect(fromResponse({ content: [call], stop_reason: "tool_use" }, byTool)).toMatchObject({
      text: '{"name":"Ada"}',
      toolCalls: [],
      finishReason: "stop",
    });
  });

  it("is streamed like text", async () => {
    const deltas: string[] = [];
    const events = streamOf(
      { type: "content_block_start", index: 0, content_block: { ...call, input: {} } },
      delta(0, { type: "input_json_delta", partial_json: '{"name":' }),
      delta(0, { type: "input_json_delta", partial_json: '"Ada"}' }),
      { type: "message_stop" },
    );
    const { text } = await fromStream(events, byTool, {
      onDelta: (piece) => deltas.push(piece),
    });
    expect(text).toBe('{"name":"Ada"}');
    expect(deltas.join("")).toBe(text);
  });

  it("waits while the model calls other tools", () => {
    const other = { ...call, name: "search" };
    const response = fromResponse({ content: [other], stop_reason: "tool_use" }, byTool);
    expect(response.toolCalls).toHaveLength(1);
  });
});

it.each([undefined, "<html>", {}, { content: "text" }])("fails, retryable, on %o", (message) => {
  expect(() => fromResponse(message, context)).toThrow(
    expect.objectContaining({ code: "model_failed", retryable: true }),
  );
});

describe("tool calls without an id", () => {
  const turn = { ...context, turn: 4 };
  const content = [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "tool_use", name: "look", input: { a: 1 } },
    { type: "tool_use", name: "look", input: { a: 2 } },
  ];

  it("get one unique in the conversation and stable across replays", () => {
    const response = fromResponse({ content, stop_reason: "tool_use", usage: {} }, turn);
    expect(response.toolCalls.map(({ id }) => id)).toEqual(["toolu_4_1", "toolu_4_2"]);
    expect(replayed(response)).toMatchObject([
      { type: "thinking" },
      { type: "tool_use", id: "toolu_4_1", input: { a: 1 } },
      { type: "tool_use", id: "toolu_4_2", input: { a: 2 } },
    ]);
  });

  it("get it while they are streamed, too", async () => {
    const ids: string[] = [];
    const events = content.map((block, index) => ({
      type: "content_block_start",
      index,
      content_block: block,
    }));
    const end = [
      { type: "message_delta", delta: { stop_reason: "tool_use" } },
      { type: "message_stop" },
    ];
    const response = await fromStream(streamOf(...events, ...end), turn, {
      onToolDelta: ({ id }) => ids.push(id),
    });
    expect(ids).toEqual(["toolu_4_1", "toolu_4_2"]);
    expect(response.toolCalls.map(({ id }) => id)).toEqual(ids);
  });
});
