// Chats in a row, as somebody writes them who knows them from AG2.
import { describe, expect, it } from "vitest";
import {
  AssistantAgent,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  initiateChats,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { scriptedModel, type Script } from "../../../../src/testing/index.ts";
import { textOf } from "../../../support/conversations.ts";

const assistant = (name: string, script: Script): AssistantAgent =>
  new AssistantAgent({ name, systemMessage: `You are ${name}.`, llm: scriptedModel(script) });

const proxy = (): UserProxyAgent =>
  new UserProxyAgent({
    name: "User",
    humanInputMode: "NEVER",
    isTerminationMsg: ({ content }) => textOf(content ?? "").includes("TERMINATE"),
  });

/** What the model was last told by others. */
const told: Script = ({ messages }) => `[${messages.at(-1)?.content}] TERMINATE`;

describe("three tasks, each with an assistant of its own", () => {
  it("later ones read the summaries of earlier ones after their own carryover", async () => {
    const researcher = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "system" ? "rates went up" : "It is the rates. TERMINATE",
    );
    const results = await proxy().initiateChats([
      {
        recipient: assistant("Financial_assistant", () => "NVDA 1, TSLA 2. TERMINATE"),
        message: "What are the prices?",
        clearHistory: true,
        summaryMethod: "last_msg",
      },
      {
        recipient: new AssistantAgent({ name: "Researcher", llm: researcher }),
        message: "Why?",
        summaryMethod: "reflection_with_llm",
      },
      {
        recipient: assistant("writer", told),
        message: "Write a post.",
        carryover: "Add a table.",
      },
    ]);
    expect(results.map(({ summary }) => summary)).toEqual([
      "NVDA 1, TSLA 2. ",
      "rates went up",
      "[Write a post.\nContext: \nAdd a table.\nNVDA 1, TSLA 2. \nrates went up] ",
    ]);
    expect(results.map(({ cost }) => cost.total.requests)).toEqual([1, 2, 1]);
    expect(results.every(({ humanInput }) => humanInput.length === 0)).toBe(true);
  });

  it("a group takes its place in the row as an agent does", async () => {
    const user = proxy();
    const researcher = assistant("Researcher", () => "Two sources.");
    const critic = assistant("Critic", () => "Sources are fine. TERMINATE");
    const manager = new GroupChatManager({
      name: "Research_manager",
      groupChat: new GroupChat({
        agents: [user, researcher, critic],
        maxRound: 50,
        speakerSelectionMethod: "round_robin",
      }),
      llm: scriptedModel(["the group found two sources"]),
      isTerminationMsg: ({ content }) => textOf(content ?? "").includes("TERMINATE"),
    });
    const [, group, post] = await user.initiateChats([
      { recipient: assistant("Financial", () => "1 and 2. TERMINATE"), message: "Prices?" },
      { recipient: manager, message: "Why?", summaryMethod: "reflection_with_llm" },
      { recipient: assistant("writer", told), message: "Write." },
    ]);
    expect(group?.summary).toBe("the group found two sources");
    expect(group?.group?.messages.map(({ name }) => name)).toEqual([
      "User",
      "Researcher",
      "Critic",
    ]);
    expect(post?.summary).toBe("[Write.\nContext: \n1 and 2. \nthe group found two sources] ");
  });
});

describe("a lesson made in three chats", () => {
  it("each with as many turns as it needs", async () => {
    const teacher = new ConversableAgent({
      name: "teacher_agent",
      systemMessage: "You teach.",
      llm: scriptedModel(() => "Make it shorter."),
    });
    const plans = ["long plan", "short plan"];
    const planner = scriptedModel(({ messages }) => plans[messages.length > 3 ? 1 : 0] ?? "");
    const results = await teacher.initiateChats([
      { recipient: assistant("curriculum_agent", () => "Tides"), message: "A topic?", maxTurns: 1 },
      {
        recipient: new ConversableAgent({ name: "planner_agent", llm: planner }),
        message: "A plan.",
        maxTurns: 2,
      },
      {
        recipient: assistant("formatter_agent", ({ messages }) => textOf(messages.at(-1)?.content)),
        message: "Format it.",
        maxTurns: 1,
      },
    ]);
    expect(results.map(({ summary }) => summary)).toEqual([
      "Tides",
      "short plan",
      "Format it.\nContext: \nTides\nshort plan",
    ]);
    expect(planner.calls[1]?.request.messages.at(-1)).toEqual({
      role: "user",
      content: "Make it shorter.",
    });
  });
});

describe("two chats side by side, and a report of both", () => {
  it("by promises, or as a queue with prerequisites", async () => {
    const user = proxy();
    const news = assistant("news", () => "good news");
    const prices = assistant("prices", () => "up 3%");
    const writer = assistant(
      "report_writer",
      ({ messages }) => `Report: ${messages.at(-1)?.content}`,
    );
    const [first, second] = await Promise.all([
      user.initiateChat(news, { message: "News?", maxTurns: 1 }),
      user.initiateChat(prices, { message: "Prices?", maxTurns: 1 }),
    ]);
    const byHand = await user.initiateChat(writer, {
      message: `${first.summary} ${second.summary}`,
      maxTurns: 1,
    });
    expect(byHand.summary).toBe("Report: good news up 3%");

    const queued = await user.initiateParallelChats([
      { chatId: 1, recipient: news, message: "News?", maxTurns: 1 },
      { chatId: 2, recipient: prices, message: "Prices?", maxTurns: 1 },
      { chatId: 3, recipient: writer, message: "Write.", maxTurns: 1, prerequisites: [1, 2] },
    ]);
    expect(queued.get(3)?.summary).toBe("Report: Write.\nContext: \ngood news\nup 3%");
  });
});

describe("a queue with senders of its own", () => {
  it("names the chat and its missing field", async () => {
    const a = assistant("a", () => "a");
    await expect(initiateChats([{ recipient: a, message: "Hello" }])).rejects.toThrow(/sender/);
  });
});
