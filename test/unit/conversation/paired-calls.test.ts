import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { pairCalls } from "../../../src/conversation/paired-calls.ts";

const calls = (...ids: string[]): ConversationMessage => ({
  role: "assistant",
  content: null,
  toolCalls: ids.map((id) => ({ id, name: "f", arguments: "{}" })),
});
const results = (...ids: string[]): ConversationMessage => ({
  role: "tool",
  content: ids.join("\n"),
  toolResponses: ids.map((id) => ({ toolCallId: id, content: `of ${id}` })),
});
const single = (id: string): ConversationMessage => ({
  role: "tool",
  content: `of ${id}`,
  toolCallId: id,
});
const says = (content: string): ConversationMessage => ({ role: "user", name: "ana", content });

/** What a provider refuses in a history; written apart from the code that repairs. */
function refusalOf(history: readonly ConversationMessage[]): string | undefined {
  for (const [index, message] of history.entries()) {
    if (message.role === "tool" && history[index - 1]?.toolCalls === undefined) return "orphan";
    if (message.role !== "tool" && message.toolResponses !== undefined) return "results of a user";
    if (message.toolCalls === undefined) continue;
    const ids = message.toolCalls.map(({ id }) => id);
    if (new Set(ids).size < ids.length || ids.includes("")) return "ids";
    const next = history[index + 1];
    const answers = next?.role === "tool" ? (next.toolResponses ?? []) : [];
    if (answers.map(({ toolCallId }) => toolCallId).join() !== ids.join()) return "unanswered";
  }
  return undefined;
}

describe("PRC1: results follow their calls", () => {
  it("also with a message in between", () => {
    const { messages, faults } = pairCalls([calls("x", "y"), says("wait"), results("y", "x")]);
    expect(messages).toEqual([
      calls("x", "y"),
      {
        role: "tool",
        content: "of x\nof y",
        toolResponses: [
          { toolCallId: "x", content: "of x" },
          { toolCallId: "y", content: "of y" },
        ],
      },
      says("wait"),
    ]);
    expect(faults.map(({ kind }) => kind)).toEqual(["misplaced", "misplaced"]);
  });

  it("and leave the words of an interrupting person", () => {
    const interrupted: ConversationMessage = {
      ...says("stop"),
      toolResponses: [{ toolCallId: "x", content: "no" }],
    };
    const { messages, faults } = pairCalls([calls("x"), interrupted]);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(messages[2]).toEqual(says("stop"));
    expect(faults).toEqual([]);
  });

  it("when a model uses an id again", () => {
    const { messages, faults } = pairCalls([calls("x"), calls("x"), results("x")]);
    expect(messages.map(({ toolResponses }) => toolResponses?.[0]?.content)).toEqual([
      undefined,
      expect.stringContaining("no result"),
      undefined,
      "of x",
    ]);
    expect(faults).toEqual([{ kind: "unanswered", index: 0, toolCallId: "x" }]);
  });

  it("by their order when a model gives no ids", () => {
    const { messages } = pairCalls([calls("", ""), single(""), single("")]);
    expect(messages[1]?.toolResponses?.map(({ toolCallId }) => toolCallId)).toEqual([
      "call_0_0",
      "call_0_1",
    ]);
    expect(refusalOf(messages)).toBeUndefined();
  });
});

it("PRC2: answers open calls, and drops stray results", () => {
  const { messages, faults } = pairCalls([
    results("z"),
    says("a"),
    calls("x"),
    results("x", "x"),
    calls("y"),
  ]);
  expect(refusalOf(messages)).toBeUndefined();
  expect(messages).toHaveLength(5);
  expect(faults).toEqual([
    { kind: "unanswered", index: 4, toolCallId: "y" },
    { kind: "orphan", index: 0, toolCallId: "z" },
    { kind: "orphan", index: 3, toolCallId: "x" },
  ]);
});

it("PRC3: leaves a history in order as it is", () => {
  const history = [says("a"), calls("x", "y"), results("x", "y"), says("b")];
  expect(pairCalls(history).messages).toBe(history);
});

it("PRC1: joins single results into one message, without a fault", () => {
  const { messages, faults } = pairCalls([calls("x", "y"), single("x"), single("y"), says("b")]);
  expect(messages).toEqual([
    calls("x", "y"),
    { ...results("x", "y"), content: "of x\nof y" },
    says("b"),
  ]);
  expect(faults).toEqual([]);
});

it("PRC1: removes results from a message with calls", () => {
  const both = { ...calls("x"), toolResponses: [{ toolCallId: "w", content: "of w" }] };
  const { messages } = pairCalls([calls("w"), both, results("x")]);
  expect(messages).toEqual([
    calls("w"),
    { ...results("w"), content: "of w" },
    calls("x"),
    results("x"),
  ]);
});

it("makes any history valid for providers, and changes it only once", () => {
  const ids = fc.array(fc.constantFrom("", "x", "y"), { minLength: 1, maxLength: 3 });
  const message = fc.oneof(
    ids.map((each) => calls(...each)),
    ids.map((each) => results(...each)),
    fc.constantFrom("x", "y").map(single),
    ids.map((each): ConversationMessage => {
      const { toolResponses = [] } = results(...each);
      return { ...says("hm"), toolResponses };
    }),
    fc.constant(says("a")),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (history) => {
      const { messages, faults } = pairCalls(history);
      const isSplit = (each: ConversationMessage) => each.role === "tool" && !each.toolResponses;
      expect(pairCalls(messages)).toEqual({ messages, faults: [] });
      const words = (each: readonly ConversationMessage[]) =>
        each.filter(({ role }) => role === "user").map(({ content }) => content);
      expect(words(messages)).toEqual(words(history));
      expect(history.some(isSplit) && faults.length === 0 ? undefined : refusalOf(messages)).toBe(
        undefined,
      );
    }),
    { numRuns: 500 },
  );
});
