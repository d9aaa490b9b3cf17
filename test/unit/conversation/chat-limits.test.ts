import { describe, expect, it } from "vitest";
import {
  groupEnd,
  MAX_TURNS_REACHED,
  nextChatTurn,
  type TurnState,
} from "../../../src/conversation/chat-limits.ts";
import { clearHistoryCommand, keptHistory } from "../../../src/conversation/clear-history.ts";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { resumedMessages } from "../../../src/conversation/resumed-messages.ts";

const turn = (rest: Partial<TurnState>): TurnState => ({
  turn: 0,
  maxTurns: 3,
  initiatorCounter: 0,
  recipientMaximum: 100,
  isTermination: false,
  ...rest,
});

/** Plays a chat in which every message gets a reply, and counts the messages. */
function played(
  maxTurns: number,
  endsAt = Infinity,
): { messages: number; reason: string | undefined } {
  let messages = 0;
  for (let count = 0; ; count++) {
    const step = nextChatTurn(turn({ turn: count, maxTurns, isTermination: messages >= endsAt }));
    if (step.kind === "end") return { messages, reason: step.reason };
    messages += 2;
  }
}

it("D1-7: one turn is two messages, and the limit is the reason", () => {
  expect(played(1)).toEqual({ messages: 2, reason: MAX_TURNS_REACHED });
  expect(played(0)).toEqual({ messages: 0, reason: MAX_TURNS_REACHED });
});

it("D1-8: an ending reply is not a limit", () => {
  expect(played(3, 2)).toEqual({ messages: 2, reason: undefined });
});

it("CHL1: the chat ends when its recipient may not answer any more", () => {
  expect(nextChatTurn(turn({ recipientMaximum: 0 }))).toEqual({ kind: "end" });
  const counted = { turn: 1, recipientMaximum: 5 };
  expect(nextChatTurn(turn({ ...counted, initiatorCounter: 5 }))).toEqual({ kind: "end" });
  expect(nextChatTurn(turn({ ...counted, initiatorCounter: 4 }))).toEqual({ kind: "reply" });
  expect(nextChatTurn(turn({ isTermination: true }))).toEqual({ kind: "open" });
  expect(nextChatTurn(turn({ turn: 1 }))).toEqual({ kind: "reply" });
});

it("D3-28: three rounds are the opening message and two replies", () => {
  const ends = [1, 2, 3].map((messageCount) =>
    groupEnd({ messageCount, maxRounds: 3, isTermination: false }),
  );
  expect(ends).toEqual([undefined, undefined, "maximum rounds reached"]);
});

it("CHL2: termination is checked before the rounds of a group", () => {
  expect(groupEnd({ messageCount: 3, maxRounds: 3, isTermination: true })).toBe(
    "termination condition met",
  );
  expect(groupEnd({ messageCount: 9, maxRounds: 3, isTermination: false })).toBe(
    "maximum rounds reached",
  );
});

const says = (content: string, name = "A"): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const calls: ConversationMessage = {
  role: "assistant",
  name: "A",
  content: null,
  toolCalls: [{ id: "x", name: "f", arguments: "" }],
};
const results: ConversationMessage = {
  role: "tool",
  name: "executor",
  content: "1",
  toolResponses: [{ toolCallId: "x", content: "1" }],
};

it("CLH1: the remaining history starts with no result", () => {
  const history = [says("a"), calls, results, says("b")];
  expect(keptHistory(history, 1)).toEqual([says("b")]);
  expect(keptHistory(history, 2)).toEqual([calls, results, says("b")]);
  expect(keptHistory(history, 9)).toBe(history);
  expect(keptHistory(history, 0)).toEqual([]);
  expect(keptHistory([results], 1)).toEqual([results]);
});

describe("CLH2: the command", () => {
  const command = (text: string) => clearHistoryCommand(text, ["Ana", "Bob"]);
  it.each<[string, object]>([
    ["CLEAR HISTORY", { keep: 0, rest: "" }],
    ["Fine. clear history 3, go on", { keep: 3, rest: "Fine. go on" }],
    ["Clear History Bob! then", { keep: 0, agent: "Bob", rest: "then" }],
    ["clear history Ana 10.", { keep: 10, agent: "Ana", rest: "" }],
    ["clear history 2 Ana 7", { keep: 2, agent: "Ana", rest: "7" }],
    ["clear history bob", { keep: 0, rest: "bob" }],
  ])("%j", (text, expected) => {
    expect(command(text)).toEqual(expected);
  });

  it("is not in other words, and keeps a result on request", () => {
    expect(command("clear the history")).toBeUndefined();
    expect(command("nuclear history")).toBeUndefined();
    expect(clearHistoryCommand("CLEAR HISTORY", [], true)?.keep).toBe(1);
    expect(clearHistoryCommand("CLEAR HISTORY 4", [], true)?.keep).toBe(4);
  });
});

describe("RSM1: messages to continue from", () => {
  const group = { members: ["Ana", "Bob"], manager: "chat_manager", adminName: "Admin" };
  it("may be JSON, with names of members, the admin and the manager", () => {
    const messages = [
      { content: "a" },
      { content: "b", name: "Admin" },
      { content: "c", name: "Bob", role: "assistant" },
    ];
    const resumed = resumedMessages(JSON.stringify(messages), group);
    expect(resumed.history.map(({ name }) => name)).toEqual(["chat_manager", "Admin"]);
    expect(resumed).toMatchObject({
      lastAgent: "Bob",
      lastMessage: { content: "c", role: "assistant" },
    });
    expect(resumedMessages(["a"], group).lastAgent).toBe("chat_manager");
  });

  it.each<[unknown, RegExp]>([
    ["[", /must be JSON/],
    [{}, /must be a list, got object/],
    [[], /at least one message, got none/],
    [
      [{ content: "a", name: "Zoe" }],
      /^\/messages\/0 is by "Zoe", who is no member; members: Ana, Bob/,
    ],
    [["a", {}], /^\/messages\/1 not a message/],
  ])("are not %j", (input, message) => {
    expect(() => resumedMessages(input, group)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringMatching(message) }),
    );
  });

  it("RSM2: return the last one, and have calls answered before it", () => {
    const { history, lastMessage } = resumedMessages(
      [
        { ...calls, name: "Ana" },
        { content: "go", name: "Bob" },
        { content: "Bye TERMINATE", name: "Ana" },
      ],
      group,
      "TERMINATE",
    );
    expect(history.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(lastMessage.content).toBe("Bye ");
    expect(
      resumedMessages(["a b"], group, (content) => content.toUpperCase()).lastMessage.content,
    ).toBe("A B");
  });
});

it("RSM2: a single message has no history", () => {
  expect(
    resumedMessages([{ content: "hi", name: "Ana" }], { members: ["Ana"], manager: "m" }),
  ).toEqual({
    history: [],
    lastMessage: { role: "user", name: "Ana", content: "hi" },
    lastAgent: "Ana",
  });
});
