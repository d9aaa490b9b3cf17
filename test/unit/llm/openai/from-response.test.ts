import { describe, expect, it } from "vitest";
import { fromResponse, fromStream } from "../../../../src/llm/openai/from-response.ts";
import { appendMessage, startConversation } from "../../../../src/llm/openai/to-request.ts";

const context = { modelId: "openai/m", price: undefined, turn: 3 };

async function* chunks(...deltas: object[]): AsyncGenerator {
  for (const delta of deltas) yield { id: "c", choices: [{ index: 0, delta }] };
  yield { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
}

async function* streamOf(...events: unknown[]): AsyncGenerator {
  yield* events;
}

describe("whole answers", () => {
  it.each([undefined, null, "<html>", {}, { choices: [] }, { choices: [{}] }, { error: "x" }])(
    "without a choice fail, retryable: %o",
    (response) => {
      expect(() => fromResponse(response, context)).toThrow(
        expect.objectContaining({ code: "model_failed", retryable: true }),
      );
    },
  );

  it("WA2: with a refusal fail, and say it", () => {
    const message = { content: null, refusal: "I must not." };
    expect(() => fromResponse({ choices: [{ message, finish_reason: "stop" }] }, context)).toThrow(
      expect.objectContaining({
        code: "content_filtered",
        retryable: false,
        message: expect.stringContaining("I must not.") as string,
      }),
    );
  });

  it("give every tool call an id and text for arguments", () => {
    const tool_calls = [
      { function: { name: "a", arguments: { x: 1 } } },
      { id: "own", function: { name: "b", arguments: "" } },
    ];
    const response = fromResponse(
      { choices: [{ message: { content: null, tool_calls }, finish_reason: "stop" }] },
      context,
    );
    expect(response).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [
        { id: "call_3_0", name: "a", arguments: '{"x":1}' },
        { id: "own", name: "b", arguments: "{}" },
      ],
    });
  });

  it("count the call even when there is no usage", () => {
    const choices = [{ message: { content: "x" }, finish_reason: "stop" }];
    expect(fromResponse({ choices }, context).usage).toMatchObject({ requests: 1, totalTokens: 0 });
  });
});

describe("usage", () => {
  it.each([
    [
      { prompt_tokens: 3, completion_tokens: 2 },
      { promptTokens: 3, completionTokens: 2 },
    ],
    [
      { prompt_token_count: 3, candidates_token_count: 2 },
      { promptTokens: 3, completionTokens: 2 },
    ],
    [
      { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 1 },
      { promptTokens: 3, completionTokens: 2, cachedPromptTokens: 1 },
    ],
    [{ prompt_tokens: 3, cached_tokens: 2 }, { cachedPromptTokens: 2 }],
    [{ prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } }, { cachedPromptTokens: 1 }],
    [{ input_tokens: 9, cache_creation_tokens: 4 }, { cacheCreationTokens: 4 }],
  ])("is the same in whichever words it comes: %j", (usage, expected) => {
    const choices = [{ message: { content: "x" } }];
    expect(fromResponse({ choices, usage }, context).usage).toMatchObject(expected);
  });
});

describe("streams", () => {
  it("collect tool calls by index, in any pieces", async () => {
    const response = await fromStream(
      chunks(
        { tool_calls: [{ index: 0, id: "a", function: { name: "one", arguments: '{"x"' } }] },
        { tool_calls: [{ index: 1, id: "b", function: { name: "two", arguments: "" } }] },
        {
          tool_calls: [
            { index: 1, function: { arguments: "{}" } },
            { index: 0, function: { arguments: ":1}" } },
          ],
        },
      ),
      context,
      {},
    );
    expect(response.toolCalls).toEqual([
      { id: "a", name: "one", arguments: '{"x":1}' },
      { id: "b", name: "two", arguments: "{}" },
    ]);
  });

  it("distinguish calls by id when a server numbers them all 0", async () => {
    const response = await fromStream(
      chunks(
        { tool_calls: [{ index: 0, id: "a", function: { name: "one", arguments: "{}" } }] },
        { tool_calls: [{ index: 0, id: "b", function: { name: "two", arguments: "{}" } }] },
      ),
      context,
      {},
    );
    expect(response.toolCalls.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("recognise thoughts under any provider's name", async () => {
    const thoughts: string[] = [];
    const response = await fromStream(
      chunks(
        { reasoning: "One." },
        { reasoning_content: "Two." },
        { content: "Three.", extra_content: { google: { thought: true } } },
        { content: "Answer." },
      ),
      context,
      { onThinking: (text) => thoughts.push(text) },
    );
    expect(thoughts).toEqual(["One.", "Two.", "Three."]);
    expect(response.text).toBe("Answer.");
  });

  it.each([
    { reasoning_content: "Hm." },
    { reasoning: "Hm." },
    { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }] },
  ])("have the thoughts of a whole message: %j", (fields) => {
    const message = { content: "Yes.", ...fields };
    const choice = { message, finish_reason: "stop" };
    expect(fromResponse({ choices: [choice], usage: {} }, context).thinking).toBe("Hm.");
  });

  it("survive chunks without anything in them", async () => {
    const odd = streamOf(
      null,
      {},
      { choices: [{ delta: { content: "hi" }, finish_reason: "length" }] },
      { choices: [], usage: { prompt_tokens: 4, completion_tokens: 1 } },
    );
    expect(await fromStream(odd, context, {})).toMatchObject({
      text: "hi",
      finishReason: "length",
      end: "cut",
      usage: { promptTokens: 4, totalTokens: 5 },
    });
  });
});

describe("fields a model wants back with its tool calls", () => {
  it("return with the next request", async () => {
    const { text, toolCalls, providerParts } = await fromStream(
      chunks(
        { reasoning_content: "Let me " },
        { reasoning_content: "think." },
        {
          tool_calls: [
            {
              index: 0,
              id: "a",
              function: { name: "one", arguments: "{}" },
              extra_content: { google: { thought_signature: "sig" } },
            },
          ],
        },
      ),
      context,
      {},
    );
    const reader = {
      id: "x/m",
      capabilities: { tools: true, responseSchema: true, stop: true },
    };
    const wire = startConversation(reader);
    const message = { role: "assistant" as const, content: text, toolCalls };
    appendMessage(wire, providerParts ? { ...message, providerParts } : message, reader);
    expect(wire.messages).toEqual([
      {
        role: "assistant",
        content: null,
        reasoning_content: "Let me think.",
        tool_calls: [
          {
            id: "a",
            type: "function",
            function: { name: "one", arguments: "{}" },
            extra_content: { google: { thought_signature: "sig" } },
          },
        ],
      },
    ]);
  });

  it("are absent from answers without tool calls", async () => {
    const response = await fromStream(
      chunks({ reasoning_content: "hm" }, { content: "Done." }),
      context,
      {},
    );
    expect(response).not.toHaveProperty("providerParts");
  });
});
