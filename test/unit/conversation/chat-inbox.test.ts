// Messages of people to conversations under way.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ConversableAgentOptions } from "../../../src/conversation/agents/conversable-agent-options.ts";
import { defineConversation, type Conversation } from "../../../src/conversation/conversation.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { GroupChatManager } from "../../../src/conversation/groups/group-chat-manager.ts";
import { GroupChat } from "../../../src/conversation/groups/group-chat.ts";
import { DefaultPattern, RoundRobinPattern } from "../../../src/conversation/groups/patterns.ts";
import { terminateTarget } from "../../../src/conversation/targets/targets.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedReply } from "../../../src/llm/scripted/scripted-model.ts";
import type { MessageRequest } from "../../../src/runtime/mailbox/run-message.ts";
import { tool } from "../../../src/tools/tool.ts";
import { lines } from "../../support/conversations.ts";
import { calling } from "../../support/crew-harness.ts";
import { Latch } from "../../support/journal-harness.ts";
import { RUN_STORES } from "../../support/run-stores.ts";
import { RunWorld } from "../../support/run-world.ts";

type Send = (message: MessageRequest) => Promise<unknown>;

/** Members that count the messages before them; some of their calls send messages to the run. */
class Stage {
  readonly #sends = new Map<string, MessageRequest>();
  readonly #calls: string[] = [];
  #send: Send = async () => undefined;
  #held: Promise<unknown> | undefined;

  /** Sends a message during the member's `nth` model call, from 1. */
  during(member: string, nth: number, message: MessageRequest): this {
    this.#sends.set(`${member}:${nth}`, message);
    return this;
  }

  /** Holds model calls until this settles. */
  holding(held: Promise<unknown> | undefined): void {
    this.#held = held;
  }

  get calls(): readonly string[] {
    return this.#calls;
  }

  member(
    name: string,
    words?: (nth: number) => ScriptedReply | undefined,
    options: Partial<ConversableAgentOptions> = {},
  ): ConversableAgent {
    let nth = 0;
    const model = scriptedModel(async ({ messages }) => {
      const call = `${name}:${++nth}`;
      this.#calls.push(call);
      const message = this.#sends.get(call);
      if (message !== undefined) await this.#send(message);
      await this.#held;
      return words?.(nth) ?? `${name} ${messages.length}`;
    });
    return new ConversableAgent({ name, humanInputMode: "NEVER", llm: model, ...options });
  }

  async play(conversation: Conversation): Promise<{
    readonly said: readonly string[];
    readonly states: readonly string[];
  }> {
    const run = conversation.start({ message: "Begin" });
    this.#send = (message) => run.send(message);
    const { messages } = await run.output();
    return {
      said: lines(messages),
      states: (await run.messages()).items.map(({ state }) => state),
    };
  }
}

const ANA = { name: "Ana" };

describe("a message to a group under way", () => {
  const inTurn = (stage: Stage, maxRounds = 4) => {
    const [a, b] = [stage.member("a"), stage.member("b")];
    return defineConversation({
      name: "pair",
      pattern: new RoundRobinPattern({ initialAgent: a, agents: [a, b] }),
      maxRounds,
    });
  };

  it("PMS1: is said before the next round, and counts towards no limit", async () => {
    const stage = new Stage().during("a", 1, { content: "In euros.", speaker: ANA });
    expect(await stage.play(inTurn(stage))).toEqual({
      said: ["user: Begin", "a: a 2", "Ana: In euros.", "b: b 4", "a: a 5"],
      states: ["delivered"],
    });
  });

  it("MBX3: is answered by the member that it names", async () => {
    const stage = new Stage().during("a", 1, { content: "Once more.", to: "A", speaker: ANA });
    expect((await stage.play(inTurn(stage))).said).toEqual([
      "user: Begin",
      "a: a 2",
      "Ana: Once more.",
      "a: a 4",
      "b: b 5",
    ]);
  });

  it("PMS3: continues a conversation that reached its limit, with a new count", async () => {
    const stage = new Stage().during("b", 1, { content: "And the tea?", mode: "queue" });
    expect((await stage.play(inTurn(stage, 3))).said).toEqual([
      "user: Begin",
      "a: a 2",
      "b: b 3",
      "user: And the tea?",
      "a: a 5",
      "b: b 6",
    ]);
  });

  it("GLP4: continues one that a hand-over would end, and the last speaker answers", async () => {
    const stage = new Stage().during("a", 1, { content: "And the tea?", speaker: ANA });
    const a = stage.member("a").setAfterWork(terminateTarget());
    const conversation = defineConversation({
      name: "desk",
      pattern: new DefaultPattern({ initialAgent: a, agents: [a] }),
    });
    expect((await stage.play(conversation)).said).toEqual([
      "user: Begin",
      "a: a 2",
      "Ana: And the tea?",
      "a: a 4",
    ]);
  });

  it("PMS4: interrupts the member that speaks, which speaks again after it", async () => {
    const stage = new Stage().during("a", 1, {
      content: "Stop that.",
      mode: "interrupt",
      speaker: ANA,
    });
    const { said, states } = await stage.play(inTurn(stage, 3));
    expect(said).toEqual(["user: Begin", "Ana: Stop that.", "a: a 3", "b: b 4"]);
    expect(states).toEqual(["delivered"]);
    expect(stage.calls).toEqual(["a:1", "a:2", "b:1"]);
  });

  it("PMS2: waits until calls have their results", async () => {
    const stage = new Stage().during("a", 1, { content: "In euros.", speaker: ANA });
    const price = tool({
      name: "price",
      description: "A price.",
      input: z.object({}),
      run: () => "12",
    });
    const calls = (nth: number) => (nth === 1 ? calling("price") : undefined);
    const a = stage.member("a", calls, { tools: [price] });
    const b = stage.member("b");
    const conversation = defineConversation({
      name: "pair",
      pattern: new RoundRobinPattern({ initialAgent: a, agents: [a, b] }),
      maxRounds: 5,
    });
    const { said } = await stage.play(conversation);
    expect(said.indexOf("Ana: In euros.")).toBe(3);
    expect(said[2]).toContain("12");
  });

  it("is seen by a group chat with its manager", async () => {
    const stage = new Stage().during("a", 1, { content: "In euros.", speaker: ANA });
    const [a, b] = [stage.member("a"), stage.member("b")];
    const groupChat = new GroupChat({
      agents: [a, b],
      maxRound: 3,
      speakerSelectionMethod: "round_robin",
    });
    const manager = new GroupChatManager({ name: "manager", groupChat });
    const user = new ConversableAgent({ name: "user", humanInputMode: "NEVER" });
    const conversation = defineConversation({
      name: "group",
      chat: { sender: user, recipient: manager },
    });
    expect((await stage.play(conversation)).said).toEqual([
      "user: Begin",
      "a: a 2",
      "Ana: In euros.",
      "b: b 4",
    ]);
  });
});

describe("a message to a chat of two under way", () => {
  const chat = (stage: Stage, words?: () => string) => {
    const asker = stage.member("asker");
    const helper = stage.member("helper", words);
    const chats = { sender: asker, recipient: helper, maxTurns: 2 };
    return defineConversation({ name: "two", chat: chats });
  };

  it("PMS1: reaches both", async () => {
    const stage = new Stage().during("helper", 1, { content: "In euros.", speaker: ANA });
    const { said, states } = await stage.play(chat(stage));
    expect(said).toEqual([
      "asker: Begin",
      "helper: helper 2",
      "Ana: In euros.",
      "asker: asker 4",
      "helper: helper 5",
    ]);
    expect(states).toEqual(["delivered"]);
  });

  it("PMS3: continues one that has ended", async () => {
    const stage = new Stage().during("helper", 1, { content: "And the tea?", speaker: ANA });
    const { said } = await stage.play(chat(stage, () => "TERMINATE"));
    expect(said).toEqual([
      "asker: Begin",
      "helper: TERMINATE",
      "Ana: And the tea?",
      "helper: TERMINATE",
    ]);
  });
});

describe("a message to a group whose process dies", () => {
  const STORES = RUN_STORES.map(({ name, open }) => [name, open] as const);

  it.each(STORES)(
    "MD5: a round begun without it goes on without it, and it is said once, %s",
    async (_, open) => {
      const stage = new Stage();
      const [a, b] = [stage.member("a"), stage.member("b")];
      const pattern = new RoundRobinPattern({ initialAgent: a, agents: [a, b] });
      const conversation = defineConversation({ name: "pair", pattern, maxRounds: 4 });
      const held = new Latch<void>();
      const world = new RunWorld(conversation.program().run, {
        fixture: open(),
        models: (spec) => spec as LanguageModel, // members have models of their own
      });
      stage.holding(held.promise);
      await world.start({ kind: "conversation", inputs: { message: "Begin" } });
      void world.ring();
      await world.clock.settle();
      world.host.mailbox.send({ id: "m", content: "In euros.", speaker: ANA });
      world.restart();
      stage.holding(undefined);
      await world.clock.advance(1000);
      const { output } = await world.rest();
      const { messages } = output as { messages: Parameters<typeof lines>[0] };
      expect(lines(messages)).toEqual([
        "user: Begin",
        "a: a 2",
        "Ana: In euros.",
        "b: b 4",
        "a: a 5",
      ]);
      expect(world.host.mailbox.list().map(({ state }) => state)).toEqual(["delivered"]);
    },
  );
});
