// Programs of AG2's notebooks as deployed conversations: the same agents and chats, with prompts of our own.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  AssistantAgent,
  containsTermination,
  contentText,
  ConversableAgent,
  defineConversation,
  GroupChat,
  GroupChatManager,
  registerFunction,
  UserProxyAgent,
  type Conversation,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import type { ScriptedReply } from "../../../../src/llm/scripted/scripted-model.ts";
import { scriptedModel, toolCall } from "../../../../src/testing/index.ts";
import { ConversationWorld } from "../../../support/conversation-world.ts";

/** Answers of each agent's model, one after another, by the first word of its system text; `*`: all others. */
type Lines = Readonly<Record<string, readonly ScriptedReply[]>>;

/** A deployed program, and what was said in a run of it. */
async function deployed(conversation: Conversation, lines: Lines, kickoff: object) {
  const left = new Map(Object.entries(lines).map(([name, words]) => [name, [...words]]));
  const world = new ConversationWorld({
    conversations: { program: conversation },
    script: ({ messages }) => {
      const system = contentText(messages[0]?.content);
      const name = [...left.keys()].find((each) => system.startsWith(each)) ?? "*";
      return left.get(name)?.shift() ?? `nothing from ${name}`;
    },
  });
  const id = await world.converse("program", kickoff);
  const said = async () => {
    const { json } = await world.ask(`/runs/${id}/messages`);
    const items = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>;
    return items.map(({ name, content }) => `${String(name)}: ${String(content)}`);
  };
  const say = async (name: string, content: string) => {
    const key = (await world.waitOf(id))?.["key"];
    await world.ask(`/runs/${id}/messages`, { json: { name, key, content } });
    await world.clock.settle();
  };
  const output = async () => (await world.ask(`/runs/${id}`)).json["output"];
  return { said, say, output };
}

const llm = scriptedModel(["unused"]);
const assistant = (name: string) => new AssistantAgent({ name, systemMessage: name, llm });
const proxy = (name: string) =>
  new UserProxyAgent({ name, humanInputMode: "NEVER", isTerminationMsg: containsTermination });

describe("nested chats (agentchat_nestedchat)", () => {
  it("reflect on each draft before the user answers the writer", async () => {
    const [writer, critic, user] = [assistant("Writer"), assistant("Critic"), proxy("User")];
    user.registerNestedChats(
      [
        {
          recipient: critic,
          message: ({ messages }) => `Criticise this: ${contentText(messages.at(-1)?.content)}`,
          maxTurns: 1,
        },
      ],
      writer,
    );
    const program = defineConversation({
      name: "blog",
      chat: { sender: user, recipient: writer, message: "Write about tea.", maxTurns: 2 },
    });
    const lines = { Writer: ["Draft.", "Better."], Critic: ["Too short."] };
    const { said, output } = await deployed(program, lines, {});
    expect(await said()).toEqual([
      "User: Write about tea.",
      "Writer: Draft.",
      "User: Too short.",
      "Writer: Better.",
    ]);
    expect(await output()).toMatchObject({ summary: "Better.", usageByAgent: { Critic: {} } });
  });

  it("have a tool of the critic, which another agent executes", async () => {
    const [writer, critic, user] = [assistant("Writer"), assistant("Critic"), proxy("User")];
    const executor = proxy("Executor");
    const check = tool({
      name: "check_harmful_content",
      description: "Looks for harmful words.",
      input: z.object({ content: z.string() }),
      run: ({ content }) => (content.includes("hate") ? "Denied: hate" : "Approved. TERMINATE"),
    });
    registerFunction(check, { caller: critic, executor });
    const message = ({ messages }: { messages: ReadonlyArray<{ content: unknown }> }) =>
      `Check this: ${contentText(messages.at(-1)?.content)}`;
    user.registerNestedChats(
      [{ sender: executor, recipient: critic, message, maxTurns: 2 }],
      writer,
    );
    const program = defineConversation({
      name: "blog",
      chat: { sender: user, recipient: writer, maxTurns: 2 },
    });
    const { said } = await deployed(
      program,
      {
        Writer: ["I hate tea.", "I love tea."],
        Critic: [toolCall("check_harmful_content", { content: "I hate tea." }), "Leave out hate."],
      },
      { message: "Write about tea." },
    );
    expect(await said()).toEqual([
      "User: Write about tea.",
      "Writer: I hate tea.",
      "User: Leave out hate.",
      "Writer: I love tea.",
    ]);
  });
});

it("runs a state machine by a selection function (agentchat_groupchat_stateflow)", async () => {
  const init = new UserProxyAgent({ name: "Init" });
  const [coder, scientist] = [assistant("Coder"), assistant("Scientist")];
  const results = ["exitcode: 1", "exitcode: 0, three papers"];
  const executor = proxy("Executor").registerReply(ConversableAgent, ({ messages }) => ({
    final: true,
    reply: results[messages.filter(({ name }) => name === "Executor").length],
  }));
  const groupChat = new GroupChat({
    agents: [init, coder, executor, scientist],
    maxRound: 20,
    speakerSelectionMethod: ({ lastSpeaker, messages }) => {
      if (lastSpeaker === "Init") return coder;
      if (lastSpeaker === "Coder") return executor;
      if (lastSpeaker === "Scientist") return null;
      return messages.at(-1)?.content === "exitcode: 1" ? coder : scientist;
    },
  });
  const program = defineConversation({
    name: "research",
    chat: { sender: init, recipient: new GroupChatManager({ groupChat, llm }) },
  });
  const lines = { Coder: ["code 1", "code 2"], Scientist: ["A table."] };
  const { said, output } = await deployed(program, lines, { message: "Topic: tea" });
  expect(await said()).toEqual([
    "Init: Topic: tea",
    "Coder: code 1",
    "Executor: exitcode: 1",
    "Coder: code 2",
    "Executor: exitcode: 0, three papers",
    "Scientist: A table.",
  ]);
  expect(await output()).toMatchObject({ reason: "no next speaker selected", rounds: 6 });
});

it("keeps to a graph of teams, chosen by a model (agentchat_groupchat_finite_state_machine)", async () => {
  const teams = ["a", "b"].map((team) => [0, 1].map((index) => assistant(`${team}${index}`)));
  const user = proxy("Terminator");
  const members = teams.flat();
  const transitions: Record<string, ConversableAgent[]> = {};
  for (const team of teams)
    for (const member of team) transitions[member.name] = team.filter((each) => each !== member);
  const [[leaderA], [leaderB]] = teams as [[AssistantAgent], [AssistantAgent]];
  transitions["a0"]?.push(leaderB);
  transitions["b0"]?.push(leaderA);
  const groupChat = new GroupChat({
    agents: [...members, user],
    maxRound: 20,
    allowedOrDisallowedSpeakerTransitions: transitions,
    speakerTransitionsType: "allowed",
  });
  const manager = new GroupChatManager({ groupChat, llm, isTerminationMsg: containsTermination });
  const program = defineConversation({
    name: "count",
    chat: { sender: leaderA, recipient: manager },
  });
  const { said, output } = await deployed(
    program,
    {
      "*": ["a1", "b0", "b1"],
      a0: ["A: 5. NEXT: b0"],
      a1: ["I have 2. NEXT: a0"],
      b0: ["I have 4. NEXT: b1", "Sum: 10. TERMINATE"],
      b1: ["I have 1. NEXT: b0"],
    },
    { message: "I have 3. NEXT: a1" },
  );
  expect(await said()).toEqual([
    "a0: I have 3. NEXT: a1",
    "a1: I have 2. NEXT: a0",
    "a0: A: 5. NEXT: b0",
    "b0: I have 4. NEXT: b1",
    "b1: I have 1. NEXT: b0",
    "b0: Sum: 10. TERMINATE",
  ]);
  expect(await output()).toMatchObject({ reason: "termination condition met" });
});

it("passes summaries along a queue (agentchats_sequential_chats)", async () => {
  const user = proxy("User");
  const [finance, research, writer] = ["Finance", "Research", "Writer"].map(assistant) as [
    AssistantAgent,
    AssistantAgent,
    AssistantAgent,
  ];
  const program = defineConversation({
    name: "report",
    sender: user,
    chats: [
      { recipient: finance, message: "Prices?", maxTurns: 1 },
      { recipient: research, message: "Why?", maxTurns: 1, summaryMethod: "reflection_with_llm" },
      { recipient: writer, message: "Write.", maxTurns: 1, carryover: "Use a table." },
    ],
  });
  const { said, output } = await deployed(
    program,
    {
      Finance: ["Up 3 %."],
      Research: ["A new phone."],
      "*": ["Because of a phone."],
      Writer: ["Done."],
    },
    { message: "Prices of today?" },
  );
  expect(await said()).toEqual([
    "User: Prices of today?",
    "Finance: Up 3 %.",
    "User: Why?\nContext: \nUp 3 %.",
    "Research: A new phone.",
    "User: Write.\nContext: \nUse a table.\nUp 3 %.\nBecause of a phone.",
    "Writer: Done.",
  ]);
  expect((await output())?.["chats"]).toMatchObject([
    { summary: "Up 3 %." },
    { summary: "Because of a phone." },
    { summary: "Done." },
  ]);
});

it("waits for a person who gives feedback until it is solved (agentchat_human_feedback)", async () => {
  const person = new UserProxyAgent({ name: "human", isTerminationMsg: containsTermination });
  const program = defineConversation({
    name: "tutor",
    chat: { sender: person, recipient: assistant("Tutor") },
  });
  const lines = { Tutor: ["x = 4?", "x = 3. TERMINATE"] };
  const { said, say, output } = await deployed(program, lines, { message: "Solve x + 1 = 4" });
  await say("human", "Check it.");
  expect(await said()).toEqual([
    "human: Solve x + 1 = 4",
    "Tutor: x = 4?",
    "human: Check it.",
    "Tutor: x = 3. TERMINATE",
  ]);
  await say("human", "");
  expect(await output()).toMatchObject({ summary: "x = 3. ", humanInput: ["Check it.", ""] });
});

it("brings a group into a queue (the manager as one recipient)", async () => {
  const user = proxy("User");
  const groupChat = new GroupChat({
    agents: [assistant("Planner"), assistant("Critic")],
    speakerSelectionMethod: "round_robin",
    maxRound: 3,
  });
  const program = defineConversation({
    name: "plan",
    sender: user,
    chats: [
      { recipient: new GroupChatManager({ groupChat }), message: "Plan a trip." },
      { recipient: assistant("Clerk"), message: "Book it.", maxTurns: 1 },
    ],
  });
  const lines = { Planner: ["To Rome."], Critic: ["Fine."], Clerk: ["Booked."] };
  const { said } = await deployed(program, lines, {});
  expect(await said()).toEqual([
    "User: Plan a trip.",
    "Planner: To Rome.",
    "Critic: Fine.",
    "User: Book it.\nContext: \nFine.",
    "Clerk: Booked.",
  ]);
});
