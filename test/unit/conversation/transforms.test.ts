import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationMessage } from "../../../src/conversation/messages.ts";
import { estimateTokens } from "../../../src/llm/token-estimate.ts";
import {
  messageHistoryLimiter,
  messageNames,
  messageTokenLimiter,
  textCompressor,
  transformMessages,
  truncatedTo,
  type MessageTransform,
} from "../../../src/conversation/transforms.ts";

const says = (content: string, name = "A"): ConversationMessage => ({
  role: "user",
  name,
  content,
});
const NUMBERS = Array.from({ length: 6 }, (_, index) => says(`${index}`));
const calls: ConversationMessage = {
  role: "assistant",
  content: null,
  toolCalls: [{ id: "x", name: "f", arguments: "" }],
};
const result: ConversationMessage = {
  role: "tool",
  content: "42",
  toolResponses: [{ toolCallId: "x", content: "42" }],
};
const seen = async (messages: readonly ConversationMessage[], ...transforms: MessageTransform[]) =>
  (await transformMessages(messages, transforms)).map(({ content }) => content);
const trimmed = (content: unknown): unknown =>
  typeof content === "string" ? content.trim() : content;
const byWord = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

it("TFM3: the last messages keep their order, with the first on request (D6.54)", async () => {
  const limited = (maxMessages: number, keepFirstMessage = false) =>
    seen(NUMBERS, messageHistoryLimiter({ maxMessages, keepFirstMessage }));
  expect(await limited(3)).toEqual(["3", "4", "5"]);
  expect(await limited(3, true)).toEqual(["0", "4", "5"]);
  expect(await limited(1)).toEqual(["5"]);
  expect(await limited(1, true)).toEqual(["0"]);
  expect(await limited(9)).toEqual(["0", "1", "2", "3", "4", "5"]);
});

it("TFM1: a leading system message is kept and does not count", async () => {
  const system: ConversationMessage = { role: "system", content: "rules" };
  expect(await seen([system, ...NUMBERS], messageHistoryLimiter({ maxMessages: 2 }))).toEqual([
    "rules",
    "4",
    "5",
  ]);
  expect(await seen([system], messageHistoryLimiter({ maxMessages: 2 }))).toEqual(["rules"]);
});

describe("TFM2: a window", () => {
  it("drops results without their call", async () => {
    const history = [says("a"), calls, result, says("b")];
    expect(await seen(history, messageHistoryLimiter({ maxMessages: 2 }))).toEqual(["b"]);
    expect(await seen(history, messageHistoryLimiter({ maxMessages: 3 }))).toEqual([
      null,
      "42",
      "b",
    ]);
    expect(await seen([calls, result], messageHistoryLimiter({ maxMessages: 1 }))).toEqual([]);
    expect(
      await seen(
        [says("one two"), result, says("three")],
        messageTokenLimiter({ maxTokens: 2, count: byWord }),
      ),
    ).toEqual(["three"]);
  });

  it("leaves out members, who do not count", async () => {
    const history = [says("1", "A"), says("2", "B"), says("3", "A"), says("4", "B")];
    expect(
      await seen(history, messageHistoryLimiter({ maxMessages: 2, excludeNames: ["B"] })),
    ).toEqual(["1", "3"]);
  });

  it("has at least one message", () => {
    for (const maxMessages of [0, -1, 1.5, Number.NaN])
      expect(() => messageHistoryLimiter({ maxMessages })).toThrow(/must be an integer >= 1/);
  });
});

describe("tokens", () => {
  it("are estimated by script", async () => {
    const kanji = says("製品価格".repeat(100));
    const [shortened] = await seen([kanji], messageTokenLimiter({ maxTokensPerMessage: 100 }));
    const { length } = JSON.stringify(shortened);
    expect(length).toBeLessThan(200);
    expect(length).toBeGreaterThan(100);
  });

  const limited = (options: Parameters<typeof messageTokenLimiter>[0]) =>
    seen(
      [says("a b c d"), says("e f g"), says("h i")],
      messageTokenLimiter({ count: byWord, ...options }),
    );

  it("are limited for each message and for all", async () => {
    expect((await limited({ maxTokensPerMessage: 2 })).map(trimmed)).toEqual(["a b", "e f", "h i"]);
    expect((await limited({ maxTokens: 6 })).map(trimmed)).toEqual(["a", "e f g", "h i"]);
    expect(await limited({ maxTokens: 5 })).toEqual(["e f g", "h i"]);
    expect(await limited({ minTokens: 10, maxTokens: 10 })).toEqual(["a b c d", "e f g", "h i"]);
    for (const maxTokens of [-1, Number.NaN])
      expect(() => messageTokenLimiter({ maxTokens })).toThrow(/maxTokens must be a number >= 0/);
    expect(() => messageTokenLimiter({ minTokens: 3, maxTokens: 2 })).toThrow(
      /at most maxTokens \(2\), got 3/,
    );
  });

  it("below the minimum stay as they are, and count as shortened above it", async () => {
    const all = ["a b c d", "e f g", "h i"];
    expect(await limited({ minTokens: 10, maxTokens: 20, maxTokensPerMessage: 1 })).toEqual(all);
    const shortened = await limited({ minTokens: 9, maxTokens: 9, maxTokensPerMessage: 3 });
    expect(shortened.map(trimmed)).toEqual(["a b c", "e f g", "h i"]);
    const short = await limited({ maxTokens: 5, maxTokensPerMessage: 2 });
    expect(short.map(trimmed)).toEqual(["a", "e f", "h i"]);
  });

  it("of some messages can be left alone", async () => {
    expect(
      await limited({ maxTokensPerMessage: 1, appliesTo: ({ content }) => content !== "e f g" }),
    ).toContain("e f g");
  });

  it("are cut from parts and results too", async () => {
    const parts: ConversationMessage = {
      ...says(""),
      content: [
        { type: "text", text: "a b" },
        { type: "image_url" },
        { type: "text", text: "c d" },
      ],
    };
    const [message] = await transformMessages(
      [parts],
      [messageTokenLimiter({ maxTokensPerMessage: 3, count: byWord })],
    );
    expect(message?.content).toEqual([
      { type: "text", text: "a b" },
      { type: "image_url" },
      { type: "text", text: expect.stringMatching(/^c ?$/) },
    ]);
    const long: ConversationMessage = {
      role: "tool",
      content: "a b c",
      toolResponses: [{ toolCallId: "x", content: "a b c" }],
    };
    const [, cut] = await transformMessages(
      [calls, long],
      [messageTokenLimiter({ maxTokensPerMessage: 1, count: byWord })],
    );
    expect(cut?.toolResponses?.[0]?.content.trim()).toBe("a");
    expect(cut?.content).toBe(cut?.toolResponses?.[0]?.content);
  });

  it("never exceed the maximum, for any history", async () => {
    const history = fc.array(
      fc.string({ maxLength: 30, unit: "grapheme" }).map((text) => says(text)),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 30 }), async (messages, maxTokens) => {
        const kept = await transformMessages(messages, [messageTokenLimiter({ maxTokens })]);
        const texts = kept.map(({ content }) => (typeof content === "string" ? content : ""));
        const total = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
        expect(total).toBeLessThanOrEqual(maxTokens);
        const originals = messages.slice(messages.length - texts.length);
        const isBeginning = texts.map((text, index) => {
          const { content } = originals[index] ?? {};
          return typeof content === "string" && content.startsWith(text);
        });
        expect(isBeginning).toEqual(texts.map(() => true));
      }),
    );
  });

  it("are cut at whole characters", () => {
    expect(truncatedTo("ab😀", 3, (text) => text.length)).toBe("ab");
    expect(truncatedTo("abc", 9, (text) => text.length)).toBe("abc");
  });
});

it("TFM3: an unchanged history stays the same list", async () => {
  for (const transform of [
    messageHistoryLimiter({ maxMessages: 9 }),
    messageHistoryLimiter({}),
    messageTokenLimiter({ maxTokens: 100 }),
  ])
    expect(await transformMessages(NUMBERS, [transform])).toBe(NUMBERS);
});

it("names can be part of the text, once", async () => {
  const twice = [messageNames(), messageNames()];
  expect(await seen([says("hi", "{name}")], ...twice)).toEqual(["{name}:\nhi"]);
  expect(await seen([says("hi")], messageNames({ position: "end", format: " ({name})" }))).toEqual([
    "hi (A)",
  ]);
  expect(
    await seen(
      [says("hi")],
      messageNames({ deduplicate: false }),
      messageNames({ deduplicate: false }),
    ),
  ).toEqual(["A:\nA:\nhi"]);
  expect(await seen([calls, result, { role: "user", content: "x" }], messageNames())).toEqual([
    null,
    "42",
    "x",
  ]);
  const parts: ConversationMessage = {
    ...says(""),
    content: [{ type: "image_url" }, { type: "text", text: "hi" }],
  };
  expect(await seen([parts], messageNames())).toEqual([
    [{ type: "image_url" }, { type: "text", text: "A:\nhi" }],
  ]);
});

it("texts can be compressed by another service", async () => {
  const compress = textCompressor({ compress: async (text) => text.slice(0, 2), minTokens: 2 });
  expect(await seen([says("abcdefgh"), says("abc"), result], compress)).toEqual([
    "ab",
    "abc",
    "42",
  ]);
});

describe("TFM4: the cost of transforms", () => {
  it("does not grow with earlier messages", async () => {
    const history = Array.from({ length: 2_000 }, (_, index) => says(`${index}`));
    let counted = 0;
    const read = new Set<string>();
    const watched = new Proxy(history, {
      get: (target, name, receiver) => {
        if (typeof name === "string" && /^\d+$/.test(name)) read.add(name);
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const count = (text: string): number => {
      counted++;
      return estimateTokens(text);
    };
    for (const transform of [
      messageTokenLimiter({ maxTokens: 5, minTokens: 3, count }),
      messageHistoryLimiter({ maxMessages: 5, excludeNames: ["B"] }),
      messageHistoryLimiter({ maxMessages: 5, keepFirstMessage: true }),
    ]) {
      read.clear();
      await transform(watched, async (_, make) => make());
      expect(read.size).toBeLessThan(10);
    }
    expect(counted).toBeLessThan(20);
  });

  it("returns the same objects again for messages with the same change", async () => {
    const history = [says("one two three four five six", "Ana"), says("short", "Bo")];
    const remembered = new Map<string, unknown>();
    const remember = async <T>(key: string, make: () => T | Promise<T>): Promise<T> => {
      if (!remembered.has(key)) remembered.set(key, await make());
      return remembered.get(key) as T;
    };
    for (const transform of [
      messageNames(),
      messageTokenLimiter({ maxTokensPerMessage: 2 }),
      textCompressor({ compress: (text) => text.slice(0, 3), minTokens: 2 }),
    ]) {
      const first = await transform(history, remember);
      const again = await transform([...history, says("more", "Ana")], remember);
      expect(first[0]).not.toBe(history[0]);
      expect(again[0]).toBe(first[0]);
    }
  });

  it("keeps messages without tokens before those that fill the budget", async () => {
    const kept = await transformMessages(
      [says("too much of it"), calls, result],
      [messageTokenLimiter({ maxTokens: 1, count: byWord })],
    );
    expect(kept).toEqual([calls, result]);
  });
});
