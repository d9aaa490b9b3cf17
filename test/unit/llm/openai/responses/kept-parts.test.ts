import { describe, expect, it } from "vitest";
import { messageText, partsToKeep } from "../../../../../src/llm/openai/responses/kept-parts.ts";

const message = (text: string) => ({
  type: "message",
  id: "msg_1",
  content: [{ type: "output_text", text }],
});
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "search" };
const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "abc" };

describe("partsToKeep", () => {
  it("keeps no parts of a response with only text and tool calls", () => {
    expect(partsToKeep([message("Hello"), call])).toEqual([]);
  });

  it("keeps the model's own items whole, with markers for text and calls in their order", () => {
    expect(partsToKeep([reasoning, message("Hello"), call])).toEqual([
      { type: "openai.item", item: reasoning },
      { type: "openai.text", id: "msg_1", length: 5 },
      { type: "openai.call", id: "fc_1", callId: "call_1" },
    ]);
  });

  it("leaves out an item outside JSON", () => {
    expect(partsToKeep([{ ...reasoning, at: 1n }])).toEqual([]);
  });
});

it("messageText joins the text of all parts and skips those without text", () => {
  const content = [{ type: "output_text", text: "a" }, null, { type: "refusal" }, { text: "b" }];
  expect(messageText({ type: "message", content })).toBe("ab");
});
