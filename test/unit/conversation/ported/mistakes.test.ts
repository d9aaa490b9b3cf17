// What somebody gets wrong who comes from AG2, and what the error says. Most of it does not compile: this is for those without a compiler.
import { describe, expect, it } from "vitest";
import * as conversation from "../../../../src/conversation/index.ts";
import {
  agentTarget,
  AssistantAgent,
  ConversableAgent,
  DefaultPattern,
  initiateGroupChat,
  registerFunction,
  type ConversableAgentOptions,
} from "../../../../src/conversation/index.ts";
import { Agent } from "../../../../src/index.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";

/** The library as JavaScript has it. */
// oxlint-disable-next-line typescript/no-explicit-any -- what is tried here has no type
const untyped = conversation as any;

const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({
    name,
    llm: scriptedModel(() => "hi"),
    humanInputMode: "NEVER",
    ...options,
  });

describe("contradictory definitions", () => {
  it.each<[string, () => unknown, string | RegExp]>([
    [
      "a name before the options",
      () => new untyped.ConversableAgent("desk", {}),
      'an agent of conversations takes an object of options, got "desk"',
    ],
    [
      "functions as tools",
      () => agent("a", { tools: [(() => 1) as never] }),
      /tools\[0\] must be made with tool\(\).*wrap the function/,
    ],
    [
      "functions to be registered",
      () => registerFunction((() => 1) as never, { caller: agent("a"), executor: agent("b") }),
      /must be made with tool\(\)/,
    ],
    [
      "a missing recipient",
      () => agent("a").initiateChat(undefined as never),
      "expected an agent, got undefined",
    ],
    [
      "an empty group chat",
      () => new untyped.GroupChat({}),
      "a group chat needs a list of agents, got undefined",
    ],
    [
      "a manager with a misspelt group",
      () => new untyped.GroupChatManager({ groupchat: {} }),
      'no option "groupchat": write groupChat',
    ],
    [
      "a pattern without agents",
      () => new untyped.DefaultPattern({ initialAgent: agent("a") }),
      "a pattern needs a list of agents",
    ],
    [
      "a pattern without an initial agent",
      () => new untyped.DefaultPattern({ agents: [agent("a")] }),
      "a pattern needs an initialAgent",
    ],
    [
      "another object as initial agent",
      () => new DefaultPattern({ agents: [agent("a")], initialAgent: agent("a") }),
      "another object than the member of that name",
    ],
    [
      "an agent for a target",
      () => untyped.onCondition({ target: agent("b"), condition: "x" }),
      'such as agentTarget(agent) or terminateTarget(), got the agent "b" itself',
    ],
    [
      "an agent for a target of context",
      () => untyped.onContextCondition({ target: agent("b") }),
      /got the agent "b" itself/,
    ],
    [
      "an agent as after-work",
      () => agent("a").setAfterWork(agent("b") as never),
      /got the agent "b" itself/,
    ],
    [
      "an agent as after-work of hand-overs",
      () => agent("a").handoffs.setAfterWork(agent("b") as never),
      /got the agent "b" itself/,
    ],
    [
      "an agent as after-work of a group",
      () => new untyped.DefaultPattern({ agents: [], groupAfterWork: agent("b") }),
      /got the agent "b" itself/,
    ],
    [
      "an agent as target of a result",
      () => new untyped.ReplyResult({ message: "", target: agent("b") }),
      /got the agent "b" itself/,
    ],
    [
      "constants of JavaScript",
      () => conversation.contextCondition("${x} == true"),
      'column 9: "true" is written True',
    ],
    [
      "a filled template literal",
      () => conversation.contextCondition("undefined > 0"),
      '"undefined" is written None',
    ],
    [
      "a missing trigger",
      () => agent("a").registerNestedChats([], undefined as never),
      /a trigger is an agent, its name, a class/,
    ],
  ])("%s", async (_, define, message) => {
    await expect(async () => define()).rejects.toThrow(message);
  });

  it("a conversation without a pattern or without messages", async () => {
    await expect(initiateGroupChat({ messages: "Hello" } as never)).rejects.toThrow(
      /needs a pattern, such as new DefaultPattern/,
    );
    const a = agent("a");
    const pattern = new DefaultPattern({ agents: [a], initialAgent: a });
    await expect(initiateGroupChat({ pattern } as never)).rejects.toThrow(/begins with messages/);
  });
});

describe("reply functions", () => {
  it.each([
    ["a pair", [true, "hi"]],
    ["a text", "hi"],
  ])("with the result %s fail with the expected form", async (_, returned) => {
    const a = agent("a").registerReply(ConversableAgent, () => returned as never);
    await expect(agent("b").initiateChat(a, { message: "x", maxTurns: 1 })).rejects.toThrow(
      /returns { final: true, reply }, { final: false } or undefined/,
    );
  });

  it("answer a class of senders, also in a list", async () => {
    const a = agent("a").registerReply([AssistantAgent], ({ sender }) => ({
      final: true,
      reply: `Hello, ${sender.name}.`,
    }));
    const assistant = new AssistantAgent({ name: "assistant" });
    const options = { message: "x", maxTurns: 1 };
    expect((await assistant.initiateChat(a, options)).summary).toBe("Hello, assistant.");
    expect((await agent("b").initiateChat(a, options)).summary).toBe("hi");
  });
});

it("a target takes an agent of crews, by its role", () => {
  const clerk = new Agent({ role: "Senior Clerk", goal: "Help", backstory: "Kind." });
  expect(agentTarget(clerk)).toEqual({ kind: "agent", name: "Senior Clerk" });
});
