// Agents of crews as members of conversations.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { errorMessage } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import { AssistantAgent, UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import {
  initiateChats,
  initiateParallelChats,
} from "../../../src/conversation/chats/initiate-chats.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { tool } from "../../../src/tools/tool.ts";
import { calling, scriptedAgent, toldTo } from "../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

const quiet = (name: string): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: "NEVER" });

const texts = (messages: ReadonlyArray<{ readonly content: unknown }>): readonly string[] =>
  messages.map(({ content }) => contentText(content));

function lookTool(calls: string[] = []) {
  return tool({
    name: "look",
    description: "Looks.",
    input: z.object({ at: z.string() }),
    run: ({ at }) => {
      calls.push(at);
      return `${at} is full`;
    },
  });
}

describe("an agent of crews as a member", () => {
  it("LPR1: takes part as it is: its tools are steps of its turn, and its answer is its message", async () => {
    const calls: string[] = [];
    const { agent, model } = scriptedAgent(
      ({ messages }) =>
        messages.at(-1)?.role === "tool" ? "The disk is full." : calling("look", { at: "disk" }),
      { role: "Watcher", tools: [lookTool(calls)] },
    );
    const user = quiet("user");
    const result = await user.initiateChat(agent, { message: "What is wrong?", maxTurns: 2 });
    expect(texts(result.chatHistory)).toEqual([
      "What is wrong?",
      "The disk is full.",
      "",
      "The disk is full.",
    ]);
    expect(result.chatHistory[1]).toMatchObject({ name: "Watcher" });
    expect(calls).toEqual(["disk", "disk"]);
    expect(result.cost.byAgent["Watcher"]?.requests).toBe(4);
    expect(toldTo(model, 0)[0]?.content).toContain("You read a lot.");
    expect(
      toldTo(model, 2)
        .map(({ role, content }) => `${role}: ${content}`)
        .slice(1),
    ).toEqual([
      "user: What is wrong?",
      "assistant: The disk is full.",
      expect.stringContaining("user: "),
    ]);
  });

  it("LPR1: its guardrails refuse an answer before others read it", async () => {
    const { agent } = scriptedAgent(["too long an answer", "short"], {
      guardrail: ({ raw }) => (raw.length < 10 ? [true, raw] : [false, "too long"]),
    });
    const { summary } = await quiet("user").initiateChat(agent, { message: "Well?", maxTurns: 1 });
    expect(summary).toBe("short");
  });

  it("LPR2: executes calls of others, and receives them as text", async () => {
    const { agent, model } = scriptedAgent(["I see."], { tools: [lookTool()] });
    const asker = new AssistantAgent({
      name: "asker",
      llm: scriptedModel(["And now?"]),
    });
    const message = {
      content: "Look!",
      toolCalls: [{ id: "x", name: "look", arguments: '{"at":"disk"}' }],
    };
    const { chatHistory } = await asker.initiateChat(agent, { message, maxTurns: 2 });
    expect(texts(chatHistory)).toEqual(["Look!", "disk is full", "And now?", "I see."]);
    expect(
      toldTo(model, 0)
        .slice(1)
        .map(({ role, content }) => `${role}: ${content}`),
    ).toEqual([
      'user: Look!\n(calls look with {"at":"disk"})',
      "user: (look gave: disk is full)",
      "user: And now?",
    ]);
  });

  it("is asked to continue without a later message", async () => {
    const { agent, model } = scriptedAgent(["more"]);
    const member = ConversableAgent.of(agent);
    member.registerHook("process_all_messages_before_reply", (messages) => [
      ...messages,
      { role: "assistant", content: "I said it.", name: "Researcher" },
    ]);
    await quiet("user").initiateChat(agent, { message: "Well?", maxTurns: 1 });
    expect(
      toldTo(model, 0)
        .slice(2)
        .map(({ content }) => content),
    ).toEqual(["I said it.", "Go on."]);
  });

  it("is the same member each time, named for its role, and is never asked to continue", () => {
    const agent = new Agent({ role: "Senior\n researcher", goal: "", backstory: "" });
    const member = ConversableAgent.of(agent);
    expect(ConversableAgent.of(agent)).toBe(member);
    expect(ConversableAgent.of(member)).toBe(member);
    expect(member.name).toBe("Senior researcher");
    expect(member.description).toBe("Senior\n researcher");
    expect(member.humanInputMode).toBe("NEVER");
    expect(ConversableAgent.of(scriptedAgent([], { role: "Any {name}" }).agent).name).toBe(
      "Any {name}",
    );
    expect(
      ConversableAgent.of(scriptedAgent([], { role: "x".repeat(300) }).agent).name,
    ).toHaveLength(256);
  });

  it("takes part in queues, in nested chats and in triggers", async () => {
    const { agent: one } = scriptedAgent(() => "from one", { role: "One" });
    const { agent: two } = scriptedAgent(() => "from two", { role: "Two" });
    const queue = [
      { sender: one, recipient: two, message: "a", maxTurns: 1, chatId: 1 },
      { sender: two, recipient: one, message: "b", maxTurns: 1, chatId: 2, prerequisites: [1] },
    ];
    expect((await initiateChats(queue)).map(({ summary }) => summary)).toEqual([
      "from two",
      "from one",
    ]);
    const together = await initiateParallelChats(queue);
    expect(texts(together.get(2)?.chatHistory ?? [])[0]).toBe("b\nContext: \nfrom two");
    const user = quiet("user");
    const [first, second] = await user.initiateChats([
      { recipient: one, message: "a", maxTurns: 1 },
      { recipient: two, message: "b", maxTurns: 1 },
    ]);
    expect([first?.summary, second?.summary]).toEqual(["from one", "from two"]);
    const owner = quiet("owner").registerNestedChats([{ recipient: two, maxTurns: 1 }], [one]);
    owner.registerReply(one, () => undefined);
    const [asked] = await initiateChats([
      { sender: one, recipient: owner, message: "c", maxTurns: 1 },
    ]);
    expect(asked?.summary).toBe("from two");
  });

  it("begins a chat only with a message, and not with another of its name", async () => {
    const { agent } = scriptedAgent([]);
    const { agent: namesake } = scriptedAgent([]);
    const refused = await initiateChats([{ sender: agent, recipient: quiet("user") }]).then(
      String,
      errorMessage,
    );
    expect(refused).toContain('a chat that "Researcher" begins needs a message');
    expect(
      await initiateChats([{ sender: agent, recipient: namesake, message: "a" }]).then(
        String,
        errorMessage,
      ),
    ).toContain('got "Researcher" twice');
    expect(
      await initiateChats([{ sender: agent, recipient: undefined as never, message: "a" }]).then(
        String,
        errorMessage,
      ),
    ).toContain("chat 1 of the queue: needs a recipient");
  });

  it("reflects on a chat with the deployment's model when it has none", async () => {
    const llm = scriptedModel(["yes", "It said yes."]);
    const agent = new Agent({ role: "Any", goal: "g", backstory: "b" });
    const { summary } = await quiet("user").initiateChat(
      agent,
      { message: "Well?", maxTurns: 1, summaryMethod: "reflection_with_llm" },
      { models: () => llm },
    );
    expect(summary).toBe("It said yes.");
  });

  it("waits on one limit of calls in all of its turns", async () => {
    const clock = new SimulatedClock();
    const { agent, model } = scriptedAgent(() => "yes", { maxRpm: 1 });
    const handle = quiet("user").startChat(agent, { message: "Well?", maxTurns: 2 }, { clock });
    await clock.settle();
    expect(model.calls).toHaveLength(1);
    await clock.advance(61_000);
    await handle.output();
    expect(model.calls).toHaveLength(2);
  });
});

describe("an agent of crews after a crash", () => {
  it("LPR1: wherever the process dies, its approved calls are made once and its turn is the same", async () => {
    const made = () => {
      const calls: string[] = [];
      const { agent } = scriptedAgent(
        ({ messages }) =>
          messages.at(-1)?.role === "tool" ? "It is full." : calling("look", { at: "disk" }),
        { role: "Watcher", tools: [lookTool(calls)], approveTools: true },
      );
      const user = new UserProxyAgent({ name: "user", humanInputMode: "TERMINATE" });
      user.registerReply(agent, ({ messages }) =>
        messages.length < 4 ? { final: true, reply: "Again?" } : { final: true, reply: null },
      );
      const program = chatProgram([user, ConversableAgent.of(agent)], { message: "Look." });
      return { calls, program, answer: () => ({ approve: true }) };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.status).toBe("completed");
    expect(whole.course.output).toMatchObject({
      summary: "It is full.",
      cost: { total: { requests: 4 } },
    });
    expect(cut.length).toBeGreaterThan(10);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
