import { describe, expect, it } from "vitest";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { UserProxyAgent } from "../../../../src/conversation/agents/presets.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import { onCondition } from "../../../../src/conversation/targets/handoffs.ts";
import { GroupChat } from "../../../../src/conversation/groups/group-chat.ts";
import { GroupChatManager } from "../../../../src/conversation/groups/group-chat-manager.ts";
import { initiateGroupChat } from "../../../../src/conversation/groups/initiate-group-chat.ts";
import { groupChatProgram } from "../../../support/group-chat-program.ts";
import {
  DefaultPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
} from "../../../../src/conversation/groups/patterns.ts";
import { agentTarget, revertToUserTarget } from "../../../../src/conversation/targets/targets.ts";
import { scriptedModel } from "../../../../src/llm/scripted/scripted-model.ts";
import { counting, lines, person, quiet, scripted } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

const first = (agents: readonly ConversableAgent[]) => agents[0] as ConversableAgent;

describe("hand-overs in the members' view", () => {
  it.each([
    [true, ["system", "user"]],
    [false, ["system", "user", "assistant", "tool"]],
  ])("GTK2: with excludeTransitMessage %j", async (excludeTransitMessage, roles) => {
    const billing = scriptedModel(["paid"]);
    const a = scripted("a", [calling("transfer_to_billing_1")]).registerHandoffs(
      onCondition({ target: agentTarget("billing"), condition: "money" }),
    );
    const agents = [a, quiet("billing", { llm: billing, systemMessage: "" })];
    const pattern = new DefaultPattern({ agents, initialAgent: a, excludeTransitMessage });
    const { messages } = await initiateGroupChat({ pattern, messages: "Begin" });
    expect(billing.calls[0]?.messages.map(({ role }) => role)).toEqual(roles);
    expect(messages).toHaveLength(4);
  });
});

describe("summaries of groups", () => {
  const agents = () => [scripted("a", ["Red."]), scripted("b", ["Blue."])];

  it("CSM2: a model reflects on all messages, with the names of their speakers", async () => {
    const llm = scriptedModel(["They disagree."]);
    const members = agents();
    const pattern = new RoundRobinPattern({
      agents: members,
      initialAgent: first(members),
      groupManager: { llm },
      summaryMethod: "reflection_with_llm",
      summaryArgs: { summaryPrompt: "Who is right?", summaryRole: "user" },
    });
    const { summary, usageByAgent } = await initiateGroupChat({
      pattern,
      messages: "Which colour?",
      maxRounds: 3,
    });
    expect(summary).toBe("They disagree.");
    expect(llm.calls[0]?.messages).toEqual([
      { role: "user", content: "_User: Which colour?" },
      { role: "user", content: "a: Red." },
      { role: "user", content: "b: Blue." },
      { role: "user", content: "Who is right?" },
    ]);
    expect(usageByAgent["chat_manager"]?.requests).toBe(1);
  });

  it("CSM1: without a model of the manager's, a member reflects", async () => {
    const members = [scripted("a", ["Red.", "A sum."]), quiet("b", { defaultAutoReply: "Blue." })];
    const pattern = new RoundRobinPattern({
      agents: members,
      initialAgent: first(members),
      summaryMethod: "reflection_with_llm",
    });
    const group = { pattern, messages: "Which colour?", maxRounds: 3 };
    expect((await initiateGroupChat(group)).summary).toBe("A sum.");
  });
});

describe("patterns with a person", () => {
  it("PTN1: by chance the person's turn comes too, in no turn twice", async () => {
    const members = [counting("a"), counting("b")];
    const ana = person(
      "ana",
      Array.from({ length: 20 }, (_, index) => `word ${index}`),
    );
    const pattern = new RandomPattern({
      agents: members,
      initialAgent: first(members),
      userAgent: ana,
    });
    const { messages } = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 20 });
    const names = messages.map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["a", "b", "ana"]));
    for (const [index, name] of names.entries()) expect(name).not.toBe(names[index + 1]);
  });

  it("PTN1: in a pattern with selection by a person, the same person takes part, by durable waits", async () => {
    const made = () => {
      const members = [counting("a"), counting("b")];
      const pattern = new ManualPattern({
        agents: members,
        initialAgent: first(members),
        userAgent: new UserProxyAgent({ name: "ana" }),
      });
      return {
        program: groupChatProgram({ pattern, messages: "Begin", maxRounds: 5 }),
        answer: ({ key }: { readonly key: string }) => {
          if (!key.includes("/choose/")) return { feedback: "I am here." };
          return { feedback: key.includes("round:2/") ? "ana" : "b" };
        },
      };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.run.error).toBeUndefined();
    const { messages } = whole.run.output as {
      messages: readonly { name?: string; content: string }[];
    };
    expect(lines(messages)).toEqual([
      "ana: Begin",
      "a: a 2",
      "ana: I am here.",
      "a: a 4",
      "b: b 5",
    ]);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });

  it("PTN1: an agent gives the turn back to the person", async () => {
    const members = [counting("a").setAfterWork(revertToUserTarget())];
    const ana = person("ana", ["And then?"]);
    const pattern = new ManualPattern({
      agents: members,
      initialAgent: first(members),
      userAgent: ana,
    });
    const { messages } = await initiateGroupChat({ pattern, messages: "Begin", maxRounds: 4 });
    expect(messages.map(({ name }) => name).slice(0, 3)).toEqual(["ana", "a", "ana"]);
  });
});

describe("a group inside nested chats (AG2 #494)", () => {
  const nested = () => {
    const inner = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [scripted("x", () => "from x"), scripted("y", () => "from y")],
        speakerSelectionMethod: "round_robin",
        maxRound: 3,
      }),
      name: "inner",
    });
    const asker = quiet("asker");
    const judge = scripted("judge", ({ messages }) => `judged ${messages.length}`);
    const owner = quiet("owner").registerNestedChats(
      [
        { recipient: inner, maxTurns: 1 },
        { recipient: judge, message: "Judge it", maxTurns: 1 },
      ],
      asker,
    );
    return { asker, owner, inner };
  };

  it("NRP1: its manager is a recipient, and its summary is handed on", async () => {
    const { asker, owner, inner } = nested();
    const alone = quiet("other").registerNestedChats([{ recipient: inner, maxTurns: 1 }], asker);
    const { summary } = await asker.initiateChat(alone, { message: "What now?", maxTurns: 1 });
    expect(summary).toBe("from y");
    const { chatHistory, cost } = await asker.initiateChat(owner, {
      message: "What now?",
      maxTurns: 1,
    });
    expect(chatHistory.map(({ content }) => content)).toEqual(["What now?", "judged 2"]);
    expect(Object.keys(cost.byAgent).toSorted()).toEqual(["judge", "owner", "x", "y"]);
  });

  it("NRP1: wherever the process dies, the result is the same", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { asker, owner } = nested();
      return { program: chatProgram([asker, owner], { message: "What now?", maxTurns: 2 }) };
    });
    expect(whole.run.error).toBeUndefined();
    expect(whole.run.output).toMatchObject({ summary: "judged 2" });
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });
});
