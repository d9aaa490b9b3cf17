import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarizedHistory, tailWindow } from "../../../src/conversation/compaction.ts";
import { TransformMessages } from "../../../src/conversation/capabilities/transform-messages.ts";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { pairCalls } from "../../../src/conversation/paired-calls.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { quiet } from "../../support/conversations.ts";

const said = (text: string): ConversationMessage => ({ role: "user", content: text, name: "ana" });
const texts = (count: number): ConversationMessage[] =>
  Array.from({ length: count }, (_, index) => said(`m${index}`));
const calls = (id: string): ConversationMessage => ({
  role: "assistant",
  content: null,
  toolCalls: [{ id, name: "look", arguments: "{}" }],
});
const result = (id: string): ConversationMessage => ({
  role: "tool",
  content: "x",
  toolResponses: [{ toolCallId: id, content: "x" }],
});

/** What summaries were made, and the `remember` of one conversation. */
function memory() {
  const made: string[] = [];
  const known = new Map<string, JsonValue>();
  const remember = async <T extends JsonValue>(
    key: string,
    make: () => T | Promise<T>,
  ): Promise<T> => {
    if (!known.has(key)) {
      made.push(key);
      known.set(key, await make());
    }
    return known.get(key) as T;
  };
  return { made, remember };
}

describe("CMP1: a window", () => {
  const lengths = (
    history: readonly ConversationMessage[],
    limits: Parameters<typeof tailWindow>[0],
  ) => history.map((_, index) => tailWindow(limits)(history.slice(0, index + 1)).length);

  it("is cut when it has become too long, and grows until the next cut", () => {
    expect(lengths(texts(12), { maxMessages: 5, target: 2 })).toEqual([
      1, 2, 3, 4, 5, 2, 3, 4, 5, 2, 3, 4,
    ]);
  });

  it("is cut by tokens too", () => {
    const count = (text: string): number => text.length;
    expect(lengths(texts(9), { maxTokens: 8, target: 1, count })).toEqual([
      1, 2, 3, 4, 1, 2, 3, 4, 1,
    ]);
  });

  it("keeps its last messages", () => {
    expect(
      tailWindow({ maxMessages: 3, target: 1 })(texts(5)).map(({ content }) => content),
    ).toEqual(["m3", "m4"]);
  });
});

describe("CMP2: a cut", () => {
  it("moves past results, so none loses its call", () => {
    const history = [said("a"), calls("1"), result("1"), said("b"), said("c")];
    expect(tailWindow({ maxMessages: 4, target: 3 })(history)).toEqual(history.slice(3));
  });

  it("leaves no result without its call, and no call without its result, in any history", () => {
    const turn = fc.constantFrom<readonly ("said" | "called")[]>(["said"], ["called"]);
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 6 }),
        (turns, target, more) => {
          const history = turns.flatMap(([kind], index) =>
            kind === "said" ? [said(`m${index}`)] : [calls(`${index}`), result(`${index}`)],
          );
          const kept = tailWindow({ maxMessages: target + more, target })(history);
          expect(pairCalls(kept).faults).toEqual([]);
          expect(history.slice(history.length - kept.length)).toEqual(kept);
        },
      ),
    );
  });
});

describe("CMP3: a summary", () => {
  const compaction = summarizedHistory({
    maxMessages: 4,
    target: 2,
    summarize: ({ previous, text }) => `${previous ?? "-"} | ${text.replaceAll("\n", ", ")}`,
  });

  it("is made once for each cut, from the earlier one and the messages since", async () => {
    const { made, remember } = memory();
    const views: (readonly ConversationMessage[])[] = [];
    for (let count = 1; count <= 9; count++) views.push(await compaction(texts(count), remember));
    expect(made).toHaveLength(2);
    expect(views[3]).toEqual(texts(4));
    expect(views[4]).toEqual([
      {
        role: "user",
        content: "Summary of the conversation so far:\n- | ana: m0, ana: m1, ana: m2",
      },
      ...texts(5).slice(3),
    ]);
    expect(views[8]?.[0]?.content).toBe(
      "Summary of the conversation so far:\n- | ana: m0, ana: m1, ana: m2 | ana: m3, ana: m4, ana: m5",
    );
  });

  it("includes calls", async () => {
    const history = [calls("1"), result("1"), ...texts(3)];
    const [first] = await compaction(history, memory().remember);
    expect(first?.content).toContain("assistant: calls look({}), tool: x, ana: m0");
  });

  it("differs for another history", async () => {
    const { made, remember } = memory();
    await compaction(texts(5), remember);
    await compaction([said("other"), ...texts(5).slice(1)], remember);
    expect(made).toHaveLength(2);
  });
});

it.each([
  [{ target: 2 }, /needs maxMessages, maxTokens, or both/],
  [{ target: 0, maxMessages: 3 }, /target of a compaction must be an integer >= 1, got 0/],
  [{ target: 3, maxMessages: 3 }, /maxMessages must be more than the target of 3, got 3/],
  [{ target: 1, maxTokens: 0 }, /maxTokens must be more than 0/],
])("CMP1: refuses the limits %j", (limits, message) => {
  expect(() => tailWindow(limits)).toThrow(message);
});

describe("attached to an agent", () => {
  it("CMP1, CMP3: gives its model a window, or a summary made once for each cut", async () => {
    const windowed = scriptedModel(() => "ok");
    const summarized = scriptedModel(() => "ok");
    const summaries: string[] = [];
    const a = new TransformMessages([tailWindow({ maxMessages: 4, target: 2 })]).addToAgent(
      quiet("a", { llm: windowed, systemMessage: "" }),
    );
    const summarize = ({ text }: { readonly text: string }): string => {
      summaries.push(text);
      return `summary ${summaries.length}`;
    };
    const b = new TransformMessages([
      summarizedHistory({ maxMessages: 4, target: 2, summarize }),
    ]).addToAgent(quiet("b", { llm: summarized, systemMessage: "" }));
    await a.initiateChat(b, { message: "Begin", maxTurns: 6 });
    expect(windowed.calls.map(({ messages }) => messages.length)).toEqual([3, 5, 4, 3, 5]);
    expect(summaries.length).toBeGreaterThan(1);
    expect(JSON.stringify(summarized.calls.at(-1)?.messages)).toContain("summary");
  });
});
