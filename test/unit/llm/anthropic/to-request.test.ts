import { describe, expect, it } from "vitest";
import {
  appendMessage,
  hasStructuredOutput,
  requestBase,
  startConversation,
  toRequest,
  toTools,
} from "../../../../src/llm/anthropic/to-request.ts";
import type { Message, ModelRequest } from "../../../../src/llm/language-model.ts";
import { readModelSettings } from "../../../../src/llm/model-settings.ts";

type Given = Partial<Omit<ModelRequest, "settings">> & {
  readonly settings?: object;
  readonly model?: string;
};

const READER = {
  id: "anthropic/m",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: true },
};

function request(messages: readonly Message[], given: Given = {}) {
  const conversation = startConversation();
  for (const message of messages) appendMessage(conversation, message, READER);
  const {
    settings = {},
    model = "claude-haiku-4-5",
    tools = [],
    stop = [],
    responseSchema,
  } = given;
  return toRequest({
    base: requestBase(model, readModelSettings({ model, ...settings })),
    conversation,
    tools: toTools(tools),
    stop,
    responseSchema,
  });
}

const HELLO: Message[] = [{ role: "user", content: "Hello" }];
const ephemeral = { cache_control: { type: "ephemeral" } };

describe("messages", () => {
  it("join system prompts with a blank line, marked for the cache when one of them is", () => {
    const { body } = request([
      { role: "system", content: "One.", cacheBreakpoint: true },
      ...HELLO,
      { role: "system", content: "Two." },
    ]);
    expect(body.system).toEqual([{ type: "text", text: "One.\n\nTwo.", ...ephemeral }]);
    expect(request([{ role: "system", content: "One." }]).body.system).toEqual([
      { type: "text", text: "One." },
    ]);
  });

  it("with calls in them define tools, also when no call is allowed", () => {
    const past: readonly Message[] = [
      ...HELLO,
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "price", arguments: "{}" }] },
      { role: "tool", toolCallId: "1", toolName: "price", content: "3" },
    ];
    expect(request(past).body).toMatchObject({
      tools: [{ name: "price", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
    const own = { name: "own", description: "", parameters: { type: "object" } };
    expect(request(past, { tools: [own] }).body.tools).toHaveLength(1);
    expect(request(HELLO).body).not.toHaveProperty("tools");
  });

  it("are answered without thinking right after calls without thinking", () => {
    const calls = [{ id: "1", name: "price", arguments: "{}" }];
    const after = (thought: readonly object[], then: readonly Message[] = []): object =>
      request(
        [
          ...HELLO,
          { role: "assistant", content: "", toolCalls: calls, providerParts: thought as never },
          { role: "tool", toolCallId: "1", toolName: "price", content: "3" },
          ...then,
        ],
        { settings: { thinking: { type: "enabled", budget_tokens: 2000 } } },
      ).body;
    expect(after([])).not.toHaveProperty("thinking");
    const thought = { type: "thinking", thinking: "Hm.", signature: "s" };
    expect(after([thought])).toHaveProperty("thinking");
    expect(after([], [{ role: "assistant", content: "Three." }, ...HELLO])).toHaveProperty(
      "thinking",
    );
  });

  it("put cache marks on the flagged user messages, up to the API's limit", () => {
    const { body } = request([
      { role: "user", content: "Hello", cacheBreakpoint: true },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: "More." },
    ]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello", ...ephemeral }] },
      { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
      { role: "user", content: [{ type: "text", text: "More." }] },
    ]);
    const many = Array.from({ length: 6 }, (_, index): Message => {
      return { role: "user", content: `n${index}`, cacheBreakpoint: true };
    });
    expect(JSON.stringify(request(many).body).match(/cache_control/g)).toHaveLength(3);
  });

  it("group the results of one turn and the next user text in one message", () => {
    const { body } = request([
      ...HELLO,
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "a", name: "t", arguments: '{"x":1}' },
          { id: "b", name: "t", arguments: "broken" },
        ],
      },
      { role: "tool", toolCallId: "a", toolName: "t", content: "1" },
      { role: "tool", toolCallId: "b", toolName: "t", content: "" },
      { role: "user", content: "Go on." },
    ]);
    expect(body.messages.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "t", input: { x: 1 } },
          { type: "tool_use", id: "b", name: "t", input: { unparsed: "broken" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1" },
          { type: "tool_result", tool_use_id: "b", content: "" },
          { type: "text", text: "Go on." },
        ],
      },
    ]);
  });

  it("start and end with the user", () => {
    const { body } = request([{ role: "assistant", content: "I am here." }]);
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(request([{ role: "system", content: "s" }]).body.messages).toHaveLength(1);
  });

  it("hold no empty text, which would be refused", () => {
    const { body } = request([
      { role: "user", content: " " },
      { role: "assistant", content: "" },
      { role: "user", content: "x" },
    ]);
    expect(body.messages).toHaveLength(1);
    expect(JSON.stringify(body.messages)).not.toMatch(/"text":"\s*"/);
  });
});

describe("settings", () => {
  it("default to the longest answer of the model", () => {
    expect(request(HELLO).body.max_tokens).toBe(64_000);
    expect(request(HELLO, { settings: { maxTokens: 9 } }).body.max_tokens).toBe(9);
  });

  it("put a thinking budget on top of the answer's tokens", () => {
    const thinking = { type: "enabled", budget_tokens: 10_000 };
    const { body } = request(HELLO, { settings: { thinking, maxTokens: 4096 } });
    expect(body).toMatchObject({ thinking, max_tokens: 14_096 });
    const { body: camel } = request(HELLO, {
      settings: { thinking: { type: "enabled", budgetTokens: 2000 } },
    });
    expect(camel).toMatchObject({ thinking: { budget_tokens: 2000 }, max_tokens: 64_000 });
  });

  it("send stop sequences, except blank ones", () => {
    expect(request(HELLO, { stop: ["\n", "END"] }).body.stop_sequences).toEqual(["END"]);
  });
});

describe("an answer of a schema", () => {
  const responseSchema = {
    name: "person",
    schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  };
  const tool = { name: "t", description: "T.", parameters: { type: "object" } };

  it("is asked for by the model's own means", () => {
    const { body, answersByTool } = request(HELLO, {
      responseSchema,
      settings: { reasoningEffort: "low" },
    });
    expect(answersByTool).toBe(false);
    expect(body.output_config).toEqual({
      effort: "low",
      format: {
        type: "json_schema",
        schema: { ...responseSchema.schema, required: ["name"], additionalProperties: false },
      },
    });
    expect(body).not.toHaveProperty("tool_choice");
  });

  it("is a forced tool call for older models, and for unenforceable schemas", () => {
    const old = request(HELLO, { responseSchema, model: "claude-3-5-sonnet-20241022" });
    expect(old.answersByTool).toBe(true);
    expect(old.body).toMatchObject({
      tools: [{ name: "structured_output", input_schema: responseSchema.schema }],
      tool_choice: { type: "tool", name: "structured_output" },
    });
    const map = { name: "map", schema: { type: "object", additionalProperties: true } };
    expect(request(HELLO, { responseSchema: map }).answersByTool).toBe(true);
  });

  it("leaves room for other tools, and for thinking, which forbids force", () => {
    const model = "claude-3-7-sonnet-20250219";
    const among = request(HELLO, { responseSchema, model, tools: [tool] });
    expect(among.body.tool_choice).toEqual({ type: "any" });
    expect(among.body.tools).toHaveLength(2);
    const thinking = { type: "enabled", budget_tokens: 2000 };
    const musing = request(HELLO, { responseSchema, model, settings: { thinking } });
    expect(musing.body.tool_choice).toEqual({ type: "auto" });
  });

  it.each([
    ["claude-2.1", false],
    ["claude-3-haiku-20240307", false],
    ["claude-sonnet-4-20250514", false],
    ["claude-opus-4-0", false],
    ["claude-sonnet-4@20250514", false],
    ["claude-opus-4-1-20250805", true],
    ["claude-sonnet-4-5", true],
    ["claude-haiku-4-5-20251001", true],
    ["claude-opus-5", true],
  ])("%s can do it itself: %s", (model, can) => {
    expect(hasStructuredOutput(model)).toBe(can);
  });
});
