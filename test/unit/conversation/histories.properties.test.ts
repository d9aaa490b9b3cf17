// Histories that nobody wrote down: of chats, of notebooks, and of whoever means harm.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import { estimateTokens } from "../../../src/llm/token-estimate.ts";
import {
  readMessage,
  type ConversationMessage,
  type MessageAuthor,
} from "../../../src/conversation/messages.ts";
import { pairCalls } from "../../../src/conversation/paired-calls.ts";
import { resumedMessages } from "../../../src/conversation/resumed-messages.ts";
import {
  messageHistoryLimiter,
  messageNames,
  messageTokenLimiter,
  transformMessages,
} from "../../../src/conversation/transforms.ts";
import { computedMs } from "../../support/computed-ms.ts";

const AUTHOR: MessageAuthor = { name: "ana", role: "user" };

/** The value, or the error of ours. Anything else that is thrown fails the test. */
function orError<T>(make: () => T): T | EngineError {
  try {
    return make();
  } catch (error) {
    if (EngineError.is(error)) return error;
    throw error;
  }
}

const id = fc.constantFrom("", "a", "b", "call_1", "call_0_0");
const name = fc.constantFrom("ana", "bo", "chat_manager", "zoe");
const part = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.string() }),
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: fc.string() }) }),
  fc.record({ type: fc.string(), text: fc.anything() }),
);
const call = fc.oneof(
  fc.record({
    id,
    type: fc.constant("function"),
    function: fc.record({ name: fc.string({ minLength: 1 }), arguments: fc.string() }),
  }),
  fc.record({
    id,
    name: fc.constantFrom("look", "fly"),
    arguments: fc.oneof(fc.string(), fc.object()),
  }),
);
const response = fc.oneof(
  fc.record({ tool_call_id: id, role: fc.constant("tool"), content: fc.string() }),
  fc.record({ toolCallId: id, content: fc.jsonValue() }),
);
/** As notebooks have them: OpenAI's form, with what AG2 adds. */
const message = fc.oneof(
  fc.string(),
  fc.record(
    {
      role: fc.constantFrom("user", "assistant", "system", "tool", "function"),
      content: fc.oneof(fc.string(), fc.constant(null), fc.array(part)),
      name,
      tool_calls: fc.array(call, { maxLength: 3 }),
      tool_responses: fc.array(response, { maxLength: 3 }),
      tool_call_id: id,
      function_call: fc.record({ name: fc.string(), arguments: fc.string() }),
      context: fc.object(),
    },
    { requiredKeys: [] },
  ),
);
const hostile = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
});

const history = fc.array(message, { maxLength: 30 }).map((messages) =>
  messages.flatMap((each): ConversationMessage[] => {
    const read = orError(() => readMessage(each, AUTHOR));
    return EngineError.is(read) ? [] : [read];
  }),
);

/** Calls without their result, and results without their call, in the order in which a provider reads. */
function unpaired(messages: readonly ConversationMessage[]): readonly string[] {
  const faults: string[] = [];
  let open: readonly string[] = [];
  for (const { toolCalls, toolResponses, role } of messages) {
    if (open.length > 0 && role !== "tool") faults.push(`no result of ${open.join(", ")}`);
    if (role === "tool") {
      if (open.length === 0) faults.push("results of nothing");
      const ids = (toolResponses ?? []).map(({ toolCallId }) => toolCallId);
      if (JSON.stringify(ids) !== JSON.stringify(open))
        faults.push(`${open.join()} got ${ids.join()}`);
      open = [];
    } else if (toolResponses !== undefined) faults.push("results elsewhere");
    if (toolCalls !== undefined) open = toolCalls.map(({ id: own }) => own);
    if (new Set(open).size !== open.length || open.includes("")) faults.push("ids");
  }
  return open.length > 0 ? [...faults, "open at the end"] : faults;
}

describe("messages", () => {
  it("are read or refused, for any input", () => {
    fc.assert(
      fc.property(fc.oneof(message, hostile), (input) => {
        const read = orError(() => readMessage(input, AUTHOR));
        if (EngineError.is(read)) return;
        expect(JSON.parse(JSON.stringify(read))).toEqual(read);
        expect(readMessage(read, { name: read.name ?? "ana", role: read.role })).toEqual(read);
      }),
      { numRuns: 1000 },
    );
  });

  it("are refused when they are circular or too deep", () => {
    const circle: Record<string, unknown> = { type: "text", text: "x" };
    circle["self"] = circle;
    let deep: unknown = "x";
    for (let depth = 0; depth < 50_000; depth++) deep = { type: "text", deep };
    for (const content of [[circle], [deep]]) {
      const read = orError(() => readMessage({ content }, AUTHOR));
      expect(EngineError.is(read) && read.code).toBe("invalid_input");
    }
    for (const input of [circle, deep, 1n, () => 1]) {
      const calls = [{ id: "a", name: "look", arguments: input }];
      const read = orError(() =>
        readMessage({ content: "x", context: { input }, toolCalls: calls }, AUTHOR),
      );
      expect(EngineError.is(read) && read.code).toBe("invalid_input");
    }
  });
});

describe("calls and results", () => {
  it("PRC1, PRC2: are together in every history, and stay so", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const { messages: paired } = pairCalls(messages);
        expect(unpaired(paired)).toEqual([]);
        const others = messages.filter(({ role, toolCalls }) => role !== "tool" && !toolCalls);
        expect(paired.filter(({ role, toolCalls }) => role !== "tool" && !toolCalls)).toHaveLength(
          others.length,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("PRC3: a history in order comes back as it is", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const once = pairCalls(messages);
        const twice = pairCalls(once.messages);
        expect(twice.messages).toBe(once.messages);
        expect(twice.faults).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("take time in proportion to the history", () => {
    const count = 20_000;
    const calls = (own: (index: number) => string): ConversationMessage[] =>
      Array.from({ length: count }, (_, index) => ({
        role: "assistant",
        content: null,
        toolCalls: [{ id: own(index), name: "look", arguments: "{}" }],
      }));
    const results = (own: (index: number) => string): ConversationMessage[] =>
      Array.from({ length: count }, (_, index) => ({
        role: "tool",
        content: "x",
        toolResponses: [{ toolCallId: own(index), content: "x" }],
      }));
    for (const own of [() => "call_0", (index: number) => `call_${index}`]) {
      const [made, answered] = [calls(own), results(own)];
      const turns = made.flatMap((each, index) => [each, answered[index] as ConversationMessage]);
      for (const messages of [turns, [...made, ...answered], [...answered, ...made]]) {
        const started = computedMs();
        pairCalls(messages);
        expect(computedMs() - started).toBeLessThan(1_500);
      }
    }
  }, 60_000);
});

describe("the messages a group continues from", () => {
  it("RSM1, RSM2: are read or refused, and every part of the history has its place", () => {
    const group = { members: ["ana", "bo"], manager: "chat_manager" };
    const input = fc.oneof(
      fc.array(message),
      fc.array(message).map((each) => JSON.stringify(each)),
      hostile,
      fc.string(),
    );
    fc.assert(
      fc.property(input, fc.constantFrom(undefined, "TERMINATE", ""), (messages, removed) => {
        const resumed = orError(() => resumedMessages(messages, group, removed));
        if (EngineError.is(resumed)) return;
        expect(
          unpaired(
            resumed.history.concat(resumed.lastMessage.toolCalls ? [] : [resumed.lastMessage]),
          ),
        ).toEqual([]);
        expect([...group.members, group.manager]).toContain(resumed.lastAgent);
      }),
      { numRuns: 500 },
    );
  });
});

describe("transforms", () => {
  const limit = fc.oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.double({ min: 1, max: 5, noNaN: true }),
  );

  it("TFM1, TFM2, TFM3: keep the system's words, the order and the limit", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        limit,
        fc.boolean(),
        async (messages, maxMessages, keepFirstMessage) => {
          const limiter = orError(() => messageHistoryLimiter({ maxMessages, keepFirstMessage }));
          if (EngineError.is(limiter)) return;
          const kept = await transformMessages(messages, [limiter]);
          const [first] = messages;
          const rest = first?.role === "system" ? kept.slice(1) : kept;
          expect(kept[0]).toBe(first?.role === "system" ? first : rest[0]);
          expect(rest.length).toBeLessThanOrEqual(maxMessages);
          const places = kept.map((each) => messages.indexOf(each));
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          expect(new Set(places).size).toBe(places.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("TFM2, TFM3: shorten to a number of tokens, for any numbers", async () => {
    const tokens = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.double());
    await fc.assert(
      fc.asyncProperty(
        history,
        tokens,
        tokens,
        async (messages, maxTokens, maxTokensPerMessage) => {
          const limiter = orError(() => messageTokenLimiter({ maxTokens, maxTokensPerMessage }));
          if (EngineError.is(limiter)) return;
          const kept = await limiter(messages, async (_, make) => make());
          const total = kept.reduce(
            (sum, { content, toolResponses }) =>
              sum +
              (toolResponses?.reduce((all, each) => all + estimateTokens(each.content), 0) ??
                (typeof content === "string" ? estimateTokens(content) : 0)),
            0,
          );
          expect(total).toBeLessThanOrEqual(maxTokens);
          expect(kept.length).toBeLessThanOrEqual(messages.length);
          const texts = messages.map(({ content }) => content);
          const broken = kept.filter(
            ({ content }) =>
              typeof content === "string" && !content.isWellFormed() && !texts.includes(content),
          );
          expect(broken).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("TFM3: names are written once, in any number of passes", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom("start" as const, "end" as const),
        async (messages, position) => {
          const names = messageNames({ position });
          const once = await transformMessages(messages, [names]);
          expect(await transformMessages(once, [names])).toEqual(once);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("take time in proportion to the history", async () => {
    const messages = Array.from({ length: 120_000 }, (_, index): ConversationMessage => ({
      role: "user",
      content: `message ${index}`,
      name: "ana",
    }));
    const started = computedMs();
    await transformMessages(messages, [
      messageTokenLimiter({ maxTokens: 10_000_000, maxTokensPerMessage: 2 }),
      messageHistoryLimiter({ maxMessages: 100_000, excludeNames: ["bo"] }),
      messageNames(),
    ]);
    expect(computedMs() - started).toBeLessThan(2_000);
  }, 60_000);
});
