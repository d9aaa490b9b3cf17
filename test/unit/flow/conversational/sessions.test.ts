import { describe, expect, it } from "vitest";
import * as z from "zod";
import { MAX_SNAPSHOTS, InMemoryFlowStore } from "../../../../src/flow/flow-store.ts";
import { conversational, conversationState, defineFlow, Flow } from "../../../../src/flow/index.ts";
import { Sessions, type SessionRecord } from "../../../../src/flow/conversational/session.ts";
import { LocalRun } from "../../../../src/runtime/handle/local-run.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { talkOf, turnOf } from "../../../support/talks.ts";

const record = (turn: number): SessionRecord => ({ turn, dropped: 0, state: { turn } });
const claimOf = (runId: string, sessionId = "s") => ({ sessionId, runId, key: "session" });

describe("a session", () => {
  it("CS1: belongs to one turn at a time; the other turn is refused and leaves no trace", async () => {
    const sessions = new Sessions(new InMemoryFlowStore(), "help");
    await sessions.claim(claimOf("a"), 0);
    await expect(sessions.claim(claimOf("b"), 0)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('"s" is active in run a') as string,
    });
    await sessions.claim(claimOf("c", "another"), 0);
    await sessions.release(claimOf("a"), 0);
    await sessions.claim(claimOf("b"), 0);
    expect((await sessions.holder("s"))?.runId).toBe("b");
  });

  it("CS1: goes to exactly one of any number of concurrent claims", async () => {
    for (const count of [2, 3, 25]) {
      const sessions = new Sessions(new InMemoryFlowStore(), "help");
      for (const round of [1, 2]) {
        const claims = Array.from({ length: count }, (_, index) => claimOf(`r${round}-${index}`));
        const ended = await Promise.allSettled(claims.map((claim) => sessions.claim(claim, 0)));
        const winners = claims.filter((_, index) => ended[index]?.status === "fulfilled");
        expect(winners).toHaveLength(1);
        expect((await sessions.holder("s"))?.runId).toBe(winners[0]?.runId);
        await sessions.release(winners[0] ?? claimOf(""), 0);
      }
    }
  });

  it("CS1: goes to the oldest of the claims a crash left unchecked", async () => {
    const store = new InMemoryFlowStore();
    const sessions = new Sessions(store, "help");
    for (const runId of ["a", "b", "c"]) {
      const claim = { runId, key: "session", method: "open", state: {}, createdAtMs: 0 };
      await store.saveState({ ...claim, flow: "help/turns", flowId: "s" });
    }
    expect((await sessions.holder("s"))?.runId).toBe("a");
    await expect(sessions.claim(claimOf("b"), 0)).rejects.toThrow(/active in run a/);
    await sessions.claim(claimOf("a"), 0);
    await sessions.release(claimOf("a"), 0);
    expect((await sessions.holder("s"))?.runId).toBe("c");
    await sessions.claim(claimOf("c"), 0);
  });

  it("CS3: takes repeated claims, saves and releases by its own turn", async () => {
    const sessions = new Sessions(new InMemoryFlowStore(), "help");
    const turn = claimOf("a");
    for (const _ of [1, 2])
      expect(await sessions.open(turn, 0)).toEqual({ base: null, record: null });
    for (const _ of [1, 2]) await sessions.keep(turn, { base: null, record: record(1), nowMs: 0 });
    expect(await sessions.load("s")).toEqual(record(1));
    expect(await sessions.holder("s")).toBeUndefined();
    const next = await sessions.open(claimOf("b"), 0);
    expect(next.record).toEqual(record(1));
  });

  it("CS2: rejects a turn based on an outdated record", async () => {
    const sessions = new Sessions(new InMemoryFlowStore(), "help");
    const { base } = await sessions.open(claimOf("a"), 0);
    await sessions.release(claimOf("a"), 0);
    const other = await sessions.open(claimOf("b"), 0);
    await sessions.keep(claimOf("b"), { base: other.base, record: record(1), nowMs: 0 });
    // A fork of turn a has its record, and another run.
    await expect(
      sessions.keep(claimOf("a-fork"), { base, record: record(9), nowMs: 0 }),
    ).rejects.toMatchObject({ code: "conflict" });
    await expect(
      sessions.keep(claimOf("a"), { base, record: record(9), nowMs: 0 }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(await sessions.load("s")).toEqual(record(1));
  });

  it("CS1: is not lost when more are refused at once than a history holds", async () => {
    const sessions = new Sessions(new InMemoryFlowStore(), "help");
    const first = claimOf("first");
    const { base } = await sessions.open(first, 0);
    await sessions.keep(first, { base, record: record(1), nowMs: 0 });
    const crowd = Array.from({ length: MAX_SNAPSHOTS + 20 }, (_, index) => claimOf(`r${index}`));
    await Promise.allSettled(crowd.map((claim) => sessions.claim(claim, 0)));
    expect(await sessions.load("s")).toEqual(record(1));
  });
});

describe("turns of one session", () => {
  it("at once: one is taken, the other refused with conflict, and no message is lost", async () => {
    const talk = talkOf(
      { routeTurn: () => "go" },
      { slow: { listen: "go", run: async ({ sleep }) => (await sleep("a while", 20), "done") } },
    );
    const both = await Promise.allSettled([turnOf(talk, "a"), turnOf(talk, "b")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = both.find((each) => each.status === "rejected");
    expect(refused?.reason).toMatchObject({ code: "conflict" });
    expect((await turnOf(talk, "c")).turn).toBe(2);
    expect((await talk.conversation?.session("s"))?.messages).toHaveLength(4);
  });

  it("do not see those of other sessions, nor of other flows", async () => {
    const persistence = new InMemoryFlowStore();
    const echo = (name: string) =>
      talkOf(
        { routeTurn: () => "go" },
        { answer: { listen: "go", run: ({ conversation }) => `${conversation.messages.length}` } },
        { name, persistence },
      );
    await turnOf(echo("one"), "a");
    expect((await turnOf(echo("one"), "b")).reply).toBe("3");
    expect((await turnOf(echo("one"), "b", { sessionId: "other" })).reply).toBe("1");
    expect((await turnOf(echo("two"), "b")).reply).toBe("1");
  });

  it("keep the flow's own state, and take inputs", async () => {
    class Counting extends Flow(z.object({ count: z.number().default(0), topic: z.string() })) {
      override readonly conversational = conversational({});

      routeTurn() {
        this.state.count++;
        return "converse";
      }
    }
    const talk = new Counting();
    await expect(turnOf(talk, "a")).rejects.toThrow(/topic/);
    await turnOf(talk, "a", { inputs: { topic: "tea" } });
    const { state, sessionId } = await turnOf(talk, "b");
    expect(sessionId).toBe("s");
    expect(state).toEqual({
      id: "s",
      count: 2,
      topic: "tea",
      currentUserMessage: "b",
      lastUserMessage: "b",
      lastIntent: "converse",
      ended: false,
      sessionReady: true,
    });
  });

  it("know whether the session has had one", async () => {
    const ready: unknown[] = [];
    const talk = talkOf(
      {},
      { see: { start: true, run: ({ state }) => void ready.push(state["sessionReady"]) } },
    );
    await turnOf(talk, "a");
    await turnOf(talk, "b");
    expect(ready).toEqual([false, true]);
  });

  it("have a session of their own without a session id", async () => {
    const talk = talkOf({});
    const [a, b] = [await talk.handleTurn("a"), await talk.handleTurn("b")];
    expect(a.sessionId).not.toBe(b.sessionId);
    expect((await talk.handleTurn("c", { sessionId: a.sessionId })).turn).toBe(2);
  });

  it("CS4: change no session when they fail or are cancelled, and make way for the next turn", async () => {
    const talk = talkOf(
      { routeTurn: ({ message }) => message },
      {
        fails: {
          listen: "fail",
          run: ({ state }) => {
            state["left"] = true;
            throw new Error("no luck");
          },
        },
        asks: { listen: "ask", run: ({ ask }) => ask("Who?") },
        answers: { listen: "hi", run: () => "hello" },
      },
    );
    const failing = talk.startTurn("fail", { sessionId: "s" });
    await expect(failing.output()).rejects.toThrow("no luck");
    const types: string[] = [];
    for await (const { type } of failing.events()) types.push(type);
    expect(types.filter((type) => type.startsWith("conversation_turn"))).toEqual([
      "conversation_turn_started",
      "conversation_turn_failed",
    ]);
    const waiting = talk.startTurn("ask", { sessionId: "s" });
    await expect.poll(async () => (await waiting.status()).status).toBe("waiting");
    await expect(turnOf(talk, "hi")).rejects.toMatchObject({ code: "conflict" });
    expect((await talk.conversation?.session("s"))?.runId).toBe(waiting.id);
    await expect(talk.conversation?.forget("s")).rejects.toMatchObject({ code: "conflict" });
    await waiting.cancel();
    await expect.poll(async () => (await talk.conversation?.session("s"))?.runId).toBeUndefined();
    const { turn, state } = await turnOf(talk, "hi");
    expect([turn, state["left"]]).toEqual([1, undefined]);
    expect((await talk.conversation?.session("s"))?.messages).toHaveLength(2);
  });

  it("wait for a person, and reply with the answer", async () => {
    const talk = talkOf(
      { routeTurn: () => "go" },
      { asks: { listen: "go", run: async ({ ask }) => `they say ${await ask("Well?")}` } },
    );
    const run = talk.startTurn("hi", { sessionId: "s" });
    await expect.poll(async () => (await run.status()).status).toBe("waiting");
    await run.resume({ value: "yes" });
    expect(await run.output()).toMatchObject({ reply: "they say yes" });
    await expect(talk.handleTurn("hi", { sessionId: "s" })).rejects.toThrow(/waits for an answer/);
    // Nobody can answer that one any more: it is over.
    expect((await talk.conversation?.session("s"))?.runId).toBeUndefined();
  });

  it("join the run of their caller", async () => {
    const talk = talkOf(
      { routeTurn: () => "go" },
      { answer: { listen: "go", run: () => "hello" } },
    );
    const outer = defineFlow({
      name: "outer",
      methods: {
        both: {
          start: true,
          run: async () => {
            const { sessionId, reply } = await talk.handleTurn("a");
            return [reply, (await talk.handleTurn("b", { sessionId })).turn];
          },
        },
      },
    });
    expect((await outer.kickoff()).value).toEqual(["hello", 2]);
  });

  it("are kickoffs with the message and the session among the inputs", async () => {
    const talk = talkOf(
      { routeTurn: () => "go" },
      { answer: { listen: "go", run: ({ state }) => state["topic"] } },
    );
    const inputs = { id: "s", message: "hi", topic: "tea" };
    expect(await talk.kickoff({ inputs })).toMatchObject({ reply: "tea", turn: 1, sessionId: "s" });
    expect((await turnOf(talk, "again")).turn).toBe(2);
    expect(() => talk.checkKickoff({ topic: "tea" })).toThrow(/message must be a text/);
    await expect(talk.kickoff()).rejects.toThrow(/message must be a text that is not empty/);
  });

  it("run on a host with an entry", async () => {
    const talk = talkOf(
      { routeTurn: () => "go" },
      { answer: { listen: "go", run: () => "hello" } },
    );
    const entry = talk.conversation?.entry({ sessionId: "s", message: "hi", intents: undefined });
    const run = new LocalRun({ kind: "flow", name: "help", inputs: {} }, talk.program(entry));
    expect(await run.output()).toMatchObject({ reply: "hello", sessionId: "s" });
    expect(() => talk.program({ action: "restore", restoreFromStateId: "x" })).toThrow(
      /cannot be a turn of a conversation/,
    );
  });
});

describe("a long conversation", () => {
  it("keeps the newest messages, which keep their numbers", async () => {
    const talk = talkOf(
      { maxMessages: 4, routeTurn: () => "go" },
      { answer: { listen: "go", run: ({ conversation }) => `to ${conversation.message}` } },
    );
    for (const message of ["a", "b", "c"]) await turnOf(talk, message);
    const turn = await turnOf(talk, "d");
    expect(turn.published.filter((each) => /^\d/.test(each))).toEqual([
      "6 user: d",
      "7 assistant: to d",
    ]);
    expect(await talk.conversation?.session("s")).toMatchObject({
      turns: 4,
      firstMessage: 4,
      messages: [{ content: "c" }, { content: "to c" }, { content: "d" }, { content: "to d" }],
    });
  });

  it("keeps the messages within its limits, always the newest", async () => {
    const talk = talkOf(
      { maxLength: 1000, routeTurn: () => "go" },
      { answer: { listen: "go", run: ({ conversation }) => conversation.message } },
    );
    await turnOf(talk, "x".repeat(300));
    await turnOf(talk, "y".repeat(400));
    const view = await talk.conversation?.session("s");
    expect(view?.messages.map(({ content }) => content[0])).toEqual(["y", "y"]);
    await expect(talk.handleTurn("z".repeat(1001))).rejects.toThrow(/at most 1000 characters/);
  });

  it("bounds threads and events as well", async () => {
    let seen: unknown;
    const talk = talkOf(
      { maxMessages: 2, routeTurn: () => "go" },
      {
        dig: {
          listen: "go",
          run: ({ conversation, state }) => {
            const { events, agentThreads } = conversationState.parse(state);
            seen = [events.length, agentThreads["D"]?.length];
            conversation.appendAgentResult("D", "gold");
          },
        },
      },
    );
    for (const message of ["a", "b", "c", "d"]) await turnOf(talk, message);
    expect(seen).toEqual([2, 2]);
  });

  it("costs a turn no more than its stored messages", async () => {
    const talk = talkOf(
      { maxMessages: 10, routeTurn: () => "go" },
      { answer: { listen: "go", run: () => "ok" } },
    );
    const sizes: number[] = [];
    for (let turn = 0; turn < 30; turn++) {
      const { events } = await turnOf(talk, `message ${turn % 10}`);
      sizes.push(JSON.stringify(events).length);
    }
    expect(Math.max(...sizes.slice(10)) / (sizes[9] ?? 1)).toBeLessThan(1.1);
  });
});

describe("reasons to refuse a turn", () => {
  const talk = talkOf({});
  it.each<[string, () => unknown, RegExp]>([
    ["an empty message", () => talk.startTurn(" "), /message must be a text that is not empty/],
    ["no text", () => talk.startTurn(7 as never), /message must be .* got 7/],
    ["no id", () => talk.startTurn("a", { sessionId: "" }), /sessionId must be 1 to 128/],
    ["a long id", () => talk.startTurn("a", { sessionId: "x".repeat(129) }), /sessionId must be/],
    ["a line in the id", () => talk.startTurn("a", { sessionId: "a\nb" }), /sessionId must be/],
    ["no intents", () => talk.startTurn("a", { intents: [] }), /intents must be a list/],
  ])("%s", (_, take, message) => {
    expect(take).toThrow(message);
  });

  it("takes ids as chats have them", async () => {
    const sessionId = "+49 151 23456@s.whatsapp.net/ä:1";
    expect((await turnOf(talk, "a", { sessionId })).sessionId).toBe(sessionId);
  });

  it("fails for a flow without turns", async () => {
    const flow = defineFlow({ name: "plain", methods: { a: { start: true, run: () => 1 } } });
    expect(() => flow.handleTurn("hi")).toThrow(
      /flow "plain" is not conversational and takes no turns/,
    );
    const clock = new SimulatedClock();
    expect(() => flow.streamTurn("hi", { clock })).toThrow(/takes no turns/);
  });
});
