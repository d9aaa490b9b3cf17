import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  carryoverText,
  receivedCarryover,
  withCarryover,
} from "../../../src/conversation/carryover.ts";
import { chatOrder, type PendingChat } from "../../../src/conversation/chat-order.ts";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { handedOn, openedChats, withHandedOn } from "../../../src/conversation/nested-chats.ts";
import { lastMessageSummary, summaryText } from "../../../src/conversation/summary-text.ts";

const says = (content: ConversationMessage["content"]): ConversationMessage => ({
  role: "user",
  name: "ana",
  content,
});

describe("CYO1: the text of a carryover", () => {
  it("D2-10: follows the message under its heading", () => {
    expect(withCarryover("Go", "X")).toBe("Go\nContext: \nX");
  });

  it("D2-11: has a line for each value of a list", () => {
    expect(carryoverText(["a", { content: "b" }, 3])).toBe("Context: \na\nb\n3");
  });

  it("D2-13: is a part before the parts of a message", () => {
    const image = { type: "image_url", image_url: { url: "https://x" } };
    expect(withCarryover({ content: [image], role: "user" }, "X")).toEqual({
      role: "user",
      content: [{ type: "text", text: "Context: \nX" }, image],
    });
    expect(withCarryover([image], "X")).toEqual([{ type: "text", text: "Context: \nX" }, image]);
  });

  it("goes into the content of a message, also an empty one", () => {
    expect(withCarryover({ content: "Go" }, ["X"])).toEqual({ content: "Go\nContext: \nX" });
    expect(withCarryover({ content: null, tool_calls: [] }, "X")).toMatchObject({
      content: "\nContext: \nX",
    });
  });

  it("is empty without values", () => {
    for (const nothing of [undefined, "", []]) expect(withCarryover("Go", nothing)).toBe("Go");
  });

  it("refuses values other than text and list, and messages of other types", () => {
    expect(() => withCarryover("Go", { a: 1 } as never)).toThrow(
      /carryover must be a text or a list, got object/,
    );
    expect(() => withCarryover(3, "X")).toThrow(/an opening message must be .*, got number/);
    expect(() => withCarryover({ content: 3 }, "X")).toThrow(/got number/);
  });
});

describe("CYO2: the carryover of a chat", () => {
  const finished = [
    { key: 0, summary: "zero" },
    { key: 1, summary: "one" },
  ];
  it("D2-12: leaves out its excluded chats", () => {
    expect(receivedCarryover(["own"], finished, [0])).toEqual(["own", "one"]);
  });
  it("begins with its own", () => {
    expect(receivedCarryover("own", finished)).toEqual(["own", "zero", "one"]);
    expect(receivedCarryover(undefined, [])).toEqual([]);
  });
});

describe("summaries", () => {
  it("D2-14: lose only the word at the end of a chat", () => {
    expect(lastMessageSummary(says("All good TERMINATE"))).toBe("All good ");
  });
  it("join the text parts, and are empty without a message", () => {
    const parts = [
      { type: "text", text: "a TERMINATE" },
      { type: "image_url", text: "no text of the message" },
      { type: "text", text: "b" },
    ];
    expect(lastMessageSummary(says(parts))).toBe("a \nb");
    expect(lastMessageSummary(undefined)).toBe("");
  });
  it("of functions become texts", () => {
    expect(summaryText(null)).toBe("");
    expect(summaryText({ content: { content: "a" } })).toBe("a");
    expect(summaryText([1])).toBe("[1]");
  });
});

describe("ORD1: the order of chats", () => {
  it("puts prerequisites first", () => {
    expect(
      chatOrder([
        { chatId: 3, prerequisites: [1, 2] },
        { chatId: 2, prerequisites: [1, 1] },
        { chatId: 1 },
        { chatId: 4 },
      ]),
    ).toEqual([1, 4, 2, 3]);
    expect(chatOrder([])).toEqual([]);
  });

  it("holds for any list without circles", () => {
    const lists = fc
      .integer({ min: 1, max: 12 })
      .chain((count) =>
        fc.tuple(
          ...Array.from({ length: count }, (_, chatId) =>
            fc
              .array(fc.integer({ min: 0, max: Math.max(0, chatId - 1) }))
              .map((found): PendingChat => ({ chatId, prerequisites: chatId === 0 ? [] : found })),
          ),
        ),
      );
    fc.assert(
      fc.property(lists, fc.infiniteStream(fc.nat()), (chats, numbers) => {
        const shuffled = chats.toSorted(() => ((numbers.next().value ?? 0) % 3) - 1);
        const order = chatOrder(shuffled);
        expect(order.toSorted((a, b) => a - b)).toEqual(chats.map(({ chatId }) => chatId));
        for (const { chatId, prerequisites = [] } of chats)
          for (const id of prerequisites)
            expect(order.indexOf(id)).toBeLessThan(order.indexOf(chatId));
      }),
    );
  });
});

describe("ORD2: refused lists", () => {
  it("D2-15: chats in a circle", () => {
    expect(() =>
      chatOrder([
        { chatId: 1, prerequisites: [2] },
        { chatId: 2, prerequisites: [1] },
      ]),
    ).toThrow(/in a circle, got 1 -> 2 -> 1/);
  });

  it.each<[readonly PendingChat[], RegExp]>([
    [[{ chatId: 1, prerequisites: [1] }], /got 1 -> 1/],
    [
      [
        { chatId: 0, prerequisites: [1] },
        { chatId: 1, prerequisites: [2] },
        { chatId: 2, prerequisites: [1] },
      ],
      /got 1 -> 2 -> 1/,
    ],
    [[{ chatId: 1 }, { chatId: 1 }], /of its own, got 1 more than once/],
    [[{ chatId: 1, prerequisites: [7] }], /waits for chat 7, which does not exist; there are: 1/],
    [[{ chatId: 1, prerequisites: ["1" as never] }], /waits for chat "1"/],
    [[{ chatId: 1.5 }], /must be an integer, got 1.5/],
  ])("%j", (chats, message) => {
    expect(() => chatOrder(chats)).toThrow(message);
  });
});

describe("NST1: the carryover from a parent", () => {
  const messages = ["m1", "m2", "m3", "m4"].map(says);
  it("D2-17: is all but the last two messages", () => {
    const { text = "" } = handedOn({ summaryMethod: "all" }, messages);
    expect(withHandedOn("Go", text)).toBe("Go\nContext:\nm1\nm2");
    expect(withHandedOn(undefined, text)).toBe("Context:\nm1\nm2");
    expect(withHandedOn("Go", "")).toBe("Go");
  });
  it("is the last of these, or messages for a model or a function", () => {
    expect(handedOn({ summaryMethod: "last_msg" }, messages).text).toBe("m2");
    expect(handedOn({ summaryMethod: "last_msg" }, messages.slice(0, 1)).text).toBe("");
    expect(handedOn({ summaryMethod: "reflection_with_llm" }, messages)).toEqual({
      messages: messages.slice(0, 2),
    });
    expect(handedOn({ summaryMethod: "all", leaveOut: 0 }, messages).text).toBe("m1\nm2\nm3\nm4");
  });
  it("has no results of tools", () => {
    const result: ConversationMessage = { role: "tool", content: "42", toolResponses: [] };
    expect(handedOn({ summaryMethod: "all" }, [says("a"), result, ...messages]).text).toBe(
      "a\nm1\nm2",
    );
  });
  it("needs a method", () => {
    expect(() => handedOn({} as never, messages)).toThrow(/summaryMethod must be "all"/);
  });
});

it("D2-16: nested chats open with the last message, and those without a message are left out", () => {
  const messages = ["m1", "m2"].map(says);
  const first = { recipient: "a" };
  const empty = { recipient: "b", message: () => "" };
  const last = {
    recipient: "c",
    message: (all: readonly ConversationMessage[]) => `${all.length}`,
  };
  expect(openedChats([first, empty, { recipient: "d" }, last], messages)).toEqual([
    { chat: first, message: "m2" },
    { chat: last, message: "2" },
  ]);
  expect(openedChats([empty, { recipient: "d" }], messages)).toEqual([]);
});

it("NST2: the first chat is left out with an empty message, or without earlier messages", () => {
  expect(openedChats([{ recipient: "a", message: "" }], [says("m1")])).toEqual([]);
  expect(openedChats([{ recipient: "a" }], [])).toEqual([]);
});
