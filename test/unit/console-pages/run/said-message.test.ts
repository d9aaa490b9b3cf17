import { expect, it } from "vitest";
import type { MessageView } from "../../../../src/client/index.ts";
import {
  authorOf,
  callNames,
  codeResult,
  messageText,
  resultsOf,
} from "../../../../console/pages/run/said-message.ts";
import { joined } from "../../../../console/pages/run/use-messages.ts";

const message = (index: number, more: Partial<MessageView> = {}): MessageView => ({
  index,
  name: "ann",
  role: "assistant",
  content: `${index}`,
  ...more,
});

it("reads the result of executed code", () => {
  expect(codeResult("exitcode: 0 (execution succeeded)\nCode output: 42\n")).toEqual({
    exitCode: 0,
    isGood: true,
    output: "42",
  });
  expect(codeResult("exitcode: 1 (execution failed)\nCode output: Traceback:\n  x")).toMatchObject({
    isGood: false,
    output: "Traceback:\n  x",
  });
  expect(codeResult("The exitcode: 0 was fine")).toBeUndefined();
});

it("names the tool of each result", () => {
  const call = message(1, {
    content: null,
    toolCalls: [{ id: "c1", name: "calculator", arguments: "{}" }],
  });
  const result = message(2, {
    name: "_Group_Tool_Executor",
    role: "tool",
    content: "144",
    toolResponses: [{ toolCallId: "c1", content: "144" }],
  });
  const [first] = resultsOf(result);
  expect(callNames([call, result]).get(first?.toolCallId ?? "")).toBe("calculator");
  expect(resultsOf(message(3, { role: "tool", toolCallId: "c1" }))).toEqual([
    { toolCallId: "c1", content: "3" },
  ]);
  expect(authorOf(result.name)).toBe("Tools");
});

it("has the texts of a message with other parts", () => {
  expect(messageText([{ type: "text", text: "See" }, { type: "image_url" }])).toBe(
    "See\n\n[image_url]",
  );
  expect(messageText(null)).toBe("");
});

it("joins pages of messages without a repetition", () => {
  const known = [message(0), message(1), message(2)];
  expect(joined(known, [message(1), message(2)])).toBe(known);
  expect(joined(known, [message(2), message(3)]).map(({ index }) => index)).toEqual([0, 1, 2, 3]);
});
