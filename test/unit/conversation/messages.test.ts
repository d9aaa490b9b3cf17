import { describe, expect, it } from "vitest";
import {
  contentText,
  readMessage,
  resultText,
  type ConversationMessage,
} from "../../../src/conversation/messages.ts";
import { checkToolName, memberNameFault, repairedName } from "../../../src/conversation/names.ts";

const ANA = { name: "ana", role: "user" } as const;
const BOT = { name: "bot", role: "assistant" } as const;
const call = (id: string, name = "f") => ({
  id,
  type: "function",
  function: { name, arguments: '{"a":1}' },
});

describe("MSG1: content", () => {
  it("may be a text alone", () => {
    expect(readMessage("hello", ANA)).toEqual({ role: "user", name: "ana", content: "hello" });
    expect(readMessage("", ANA).content).toBe("");
  });

  it("is null when there are calls", () => {
    expect(readMessage({ tool_calls: [call("x")] }, BOT)).toEqual({
      role: "assistant",
      content: null,
      toolCalls: [{ id: "x", name: "f", arguments: '{"a":1}' }],
    });
    const old = readMessage({ function_call: { name: "f", arguments: { a: 1 } } }, ANA);
    expect(old).toEqual({
      role: "assistant",
      content: null,
      functionCall: { name: "f", arguments: '{"a":1}' },
    });
  });

  it.each([
    [{}, "needs content or tool calls, got neither"],
    [{ content: null }, "got neither"],
    [{ tool_calls: [] }, "got neither"],
    [{ content: null, toolCalls: [] }, "got neither"],
    [null, "expected a text or an object, got null"],
    [["a"], "got array"],
    [{ content: 3 }, "content must be a text or a list of parts, got number"],
    [{ content: [{ text: "a" }] }, "each part of a content must have a type"],
    [{ content: [{ type: "hologram" }] }, 'unknown type "hologram"'],
    [{ content: "a", name: 3 }, "name must be a text, got number"],
    [{ tool_calls: [{ id: 1, name: "f" }] }, "the id of a tool call must be a text"],
    [{ tool_calls: [{ id: "1" }] }, "must name its function"],
    [{ tool_calls: "f" }, "toolCalls must be a list, got string"],
    [{ content: "a", role: "tool", tool_responses: [3] }, "a tool response must be an object"],
    [{ content: "a", tool_responses: {} }, "toolResponses must be a list"],
    [{ content: "a", override_role: "king" }, "overrideRole must be one of"],
  ])("of %j is refused", (input, message) => {
    expect(() => readMessage(input, ANA)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(message) }),
    );
  });
});

describe("MSG2: role and name", () => {
  it.each<[unknown, Partial<ConversationMessage>]>([
    [
      { content: "a", role: "assistant" },
      { role: "user", name: "ana" },
    ],
    [
      { content: "a", name: "bob" },
      { role: "user", name: "bob" },
    ],
    [
      { content: "a", override_role: "system" },
      { role: "system", name: "ana" },
    ],
    [
      { content: "a", role: "function", name: "f" },
      { role: "function", name: "f" },
    ],
    [{ content: "a", tool_calls: [call("1")] }, { role: "assistant" }],
    [
      { content: "a", role: "tool", tool_call_id: "1" },
      { role: "tool", toolCallId: "1" },
    ],
  ])("of %j", (input, expected) => {
    expect(readMessage(input, ANA)).toMatchObject(expected);
  });

  it("has no name when there are calls", () => {
    expect(readMessage({ content: "a", tool_calls: [call("1")] }, ANA)).not.toHaveProperty("name");
  });
});

it("MSG3: drops unknown fields, and null ones", () => {
  const message = readMessage(
    { content: "a", cost: 3, name: null, tool_calls: null, context: { a: 1 }, toolCallId: null },
    ANA,
  );
  expect(message).toEqual({ role: "user", name: "ana", content: "a", context: { a: 1 } });
});

it("turns the results of tools into texts", () => {
  const { toolResponses } = readMessage(
    {
      role: "tool",
      content: "",
      tool_responses: [
        { tool_call_id: "1", role: "tool", content: { a: [1] } },
        { toolCallId: "2", content: null },
        { tool_call_id: "3", content: "text" },
      ],
    },
    BOT,
  );
  expect(toolResponses).toEqual([
    { toolCallId: "1", content: '{"a":[1]}' },
    { toolCallId: "2", content: "" },
    { toolCallId: "3", content: "text" },
  ]);
  expect(
    resultText([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
  ).toBe("a\nb");
  expect(resultText([])).toBe("[]");
  expect(resultText(3)).toBe("3");
});

it("takes the content of a result from its responses if it has none", () => {
  const tool_responses = ["a", "b"].map((content) => ({ tool_call_id: content, content }));
  const message = readMessage({ role: "tool", content: null, tool_responses }, BOT);
  expect(message).toMatchObject({ role: "tool", content: "a\nb" });
});

it("reads its own messages again", () => {
  const message = readMessage({ content: "a", tool_calls: [call("1")] }, BOT);
  expect(readMessage(message, BOT)).toEqual(message);
});

it("shows content as text", () => {
  expect(contentText(null)).toBe("");
  expect(contentText(undefined)).toBe("");
  expect(
    contentText([
      { type: "text", text: "a" },
      { type: "input_text", text: "b" },
      { type: "image_url", image_url: { url: "https://x" } },
      { type: "input_image" },
      { type: "image", url: "https://x" },
      { type: "file", url: "https://x" },
      { type: "input_audio" },
      { type: "video_url" },
      { type: "function" },
      { type: "tool_call", name: "f" },
      { type: "tool_calls", function: { name: "g" } },
      { type: "shell_call" },
    ]),
  ).toBe(
    "a\nb\n<image>\n<image>\n<image>\n<file>\n<audio>\n<video>\n<function>\n<function: f>\n<function: g>\n[shell call]",
  );
});

it("checks the names of tools, repairs those of models, and accepts members of any script", () => {
  expect(() => checkToolName("a-b_C9")).not.toThrow();
  for (const name of ["", "a b", "é", "x".repeat(65)])
    expect(() => checkToolName(name)).toThrow(/1 to 64 letters/);
  expect(repairedName("füñ.call 1")).toBe("f___call_1");
  expect(repairedName("x".repeat(90))).toHaveLength(64);
  expect(memberNameFault("Ана Б.")).toBeUndefined();
  expect(["", " a", "a\n", "a\u0000b", "x".repeat(257)].map(memberNameFault)).not.toContain(
    undefined,
  );
});
