import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import type { Message, ToolSpec } from "../../../../src/llm/language-model.ts";
import {
  takesResponseSchema,
  takesStop,
  takesTools,
} from "../../../../src/llm/openai/capabilities.ts";
import {
  appendMessage,
  startConversation,
  toResponseFormat,
  toTools,
} from "../../../../src/llm/openai/to-request.ts";

function convert(...messages: Message[]): ChatCompletionMessageParam[] {
  const reader = {
    id: "openai/m",
    capabilities: { tools: true, responseSchema: true, stop: true, vision: true },
  };
  const wire = startConversation(reader);
  for (const message of messages) appendMessage(wire, message, reader);
  return wire.messages;
}

describe("messages", () => {
  it("keep their roles", () => {
    expect(
      convert(
        { role: "system", content: "s" },
        { role: "user", content: "u" },
        { role: "assistant", content: "a" },
      ),
    ).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "u" },
      { role: "assistant", content: "a" },
    ]);
  });

  it("carry tool calls and their results", () => {
    const call = { id: "c1", name: "search", arguments: '{"q":1}' };
    expect(
      convert(
        { role: "assistant", content: "", toolCalls: [call] },
        { role: "tool", toolCallId: "c1", toolName: "search", content: "found" },
      ),
    ).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "search", arguments: '{"q":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "found" },
    ]);
  });

  it("leave out another provider's parts", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    const [wire] = convert({
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", name: "t", arguments: "{}" }],
      providerParts: [thinking],
    });
    expect(JSON.stringify(wire)).not.toContain("hm");
  });
});

describe("tools", () => {
  const closed: ToolSpec = {
    name: "a",
    description: "A.",
    parameters: { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
  };
  const open: ToolSpec = { ...closed, parameters: { ...closed.parameters, required: [] } };

  it("are strict at OpenAI when the schema stays the same", () => {
    const dialect = { isOpenAI: true, sendsStreamOptions: true };
    const [first, second] = toTools([closed, open], dialect);
    expect(first).toMatchObject({
      function: { strict: true, parameters: { additionalProperties: false } },
    });
    expect(second).toEqual({
      type: "function",
      function: { name: "a", description: "A.", parameters: open.parameters },
    });
  });

  it("are sent unchanged to other providers", () => {
    const [tool] = toTools([closed], { isOpenAI: false, sendsStreamOptions: true });
    expect(tool).not.toHaveProperty("function.strict");
  });
});

describe("response format", () => {
  it("is strict when the schema can be", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(toResponseFormat({ name: "My answer!", schema })).toEqual({
      type: "json_schema",
      json_schema: {
        name: "My_answer_",
        strict: true,
        schema: { ...schema, required: ["a"], additionalProperties: false },
      },
    });
  });

  it("leaves other schemas as they are", () => {
    const schema = { type: "object", additionalProperties: { type: "number" } };
    expect(toResponseFormat({ name: "map", schema }).json_schema).toEqual({
      name: "map",
      strict: false,
      schema,
    });
  });
});

describe("settings by model", () => {
  it.each([
    ["gpt-4o", true, true, true],
    ["gpt-4.1-mini", true, true, true],
    ["gpt-4-turbo", true, true, false],
    ["gpt-3.5-turbo", true, true, false],
    ["o1", false, true, true],
    ["o1-mini", false, false, false],
    ["gpt-5.4-mini", false, true, true],
    ["openai/o4-mini", false, true, true],
    ["llama-3.1-8b", true, true, true],
  ])("%s: stop %s, tools %s, schema %s", (model, ...taken) => {
    expect([takesStop(model), takesTools(model), takesResponseSchema(model)]).toEqual(taken);
  });
});
