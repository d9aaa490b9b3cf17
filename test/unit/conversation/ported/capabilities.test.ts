// Agents that learn, answer in forms, forget and stream, as somebody writes them who knows them from AG2.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  AssistantAgent,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  messageHistoryLimiter,
  Teachability,
  TransformMessages,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import { Memory } from "../../../../src/entry/memory.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import { lines, textOf } from "../../../support/conversations.ts";

describe("a teachable agent", () => {
  it("remembers a person's message from an earlier chat", async () => {
    const memory = new Memory({ embedder: "offline/hash-embed", llm: "offline/demo" });
    const model = scriptedModel(({ messages, responseSchema }) => {
      const last = messages.at(-1)?.content ?? "";
      if (responseSchema !== undefined)
        return JSON.stringify(
          last.includes("My cat is called Mimi")
            ? { advice: [], facts: [{ question: "What is the cat called?", answer: "Mimi" }] }
            : { advice: [], facts: [] },
        );
      return last.includes("Mimi") && last.includes("called?") ? "Mimi." : "I see.";
    });
    const tutor = new ConversableAgent({ name: "teachable_agent", llm: model });
    new Teachability({ memory: memory.scope("/users/ana"), recallThreshold: 0.1 }).addToAgent(
      tutor,
    );
    const user = new UserProxyAgent({
      name: "user",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: 0,
    });
    await user.initiateChat(tutor, { message: "My cat is called Mimi." });
    const later = await user.initiateChat(tutor, {
      message: "What is my cat called?",
      clearHistory: true,
    });
    expect(later.summary).toBe("Mimi.");
    expect(later.chatHistory[0]?.content).toBe("What is my cat called?");
  });
});

describe("answers in a schema", () => {
  it("are valid JSON; the model repairs an invalid one before others read it", async () => {
    const steps = z.object({ steps: z.array(z.string()), finalAnswer: z.number() });
    const replies = ['{"steps":["2+2"]}', '{"steps":["2+2"],"finalAnswer":4}'];
    const reasoner = new AssistantAgent({
      name: "Math_solver",
      llm: scriptedModel(() => replies.shift() ?? ""),
      responseFormat: steps,
    });
    const user = new UserProxyAgent({ name: "User_proxy", humanInputMode: "NEVER" });
    const { chatHistory, summary } = await user.initiateChat(reasoner, {
      message: "2+2?",
      maxTurns: 1,
    });
    expect(chatHistory).toHaveLength(2);
    expect(steps.parse(JSON.parse(summary))).toEqual({ steps: ["2+2"], finalAnswer: 4 });
  });
});

describe("a long chat", () => {
  it("reaches the model shortened, and the log as a whole", async () => {
    const model = scriptedModel(({ messages }) => `${messages.length} messages`);
    const assistant = new AssistantAgent({ name: "assistant", llm: model });
    new TransformMessages([messageHistoryLimiter({ maxMessages: 3 })]).addToAgent(assistant);
    const user = new UserProxyAgent({
      name: "user",
      humanInputMode: "NEVER",
      defaultAutoReply: "More.",
    });
    const { chatHistory } = await user.initiateChat(assistant, { message: "Begin", maxTurns: 5 });
    expect(chatHistory).toHaveLength(10);
    expect(chatHistory.at(-1)?.content).toBe("4 messages"); // three, and the system message
  });
});

describe("the carryover of a nested chat", () => {
  it("by carryoverConfig: all but the last two messages", async () => {
    const reviewer = new AssistantAgent({
      name: "reviewer",
      llm: scriptedModel(({ messages }) => textOf(messages.at(-1)?.content)),
    });
    const coach = new ConversableAgent({ name: "coach", humanInputMode: "NEVER" });
    coach.registerNestedChats(
      [
        {
          recipient: reviewer,
          message: "Review the plan.",
          carryoverConfig: { summaryMethod: "all" },
          maxTurns: 1,
        },
      ],
      "student",
    );
    const student = new ConversableAgent({
      name: "student",
      llm: scriptedModel(({ messages }) => `answer ${messages.length}`),
    });
    const { chatHistory } = await student.initiateChat(coach, { message: "My plan.", maxTurns: 2 });
    expect(chatHistory.at(-1)?.content).toContain("Review the plan.\nContext:\n");
    expect(chatHistory.at(-1)?.content).toContain("My plan.");
    expect(chatHistory.at(-1)?.content).not.toContain("answer 3");
  });
});

describe("a run with an event reader", () => {
  it("one agent with a tool, without a peer of its own", async () => {
    const weather = tool({
      name: "weather",
      description: "The weather of a city.",
      input: z.object({ city: z.string() }),
      run: ({ city }) => `Sunny in ${city}.`,
    });
    const assistant = new AssistantAgent({
      name: "assistant",
      llm: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? `${messages.at(-1)?.content} TERMINATE`
          : { toolCalls: [{ name: "weather", arguments: { city: "Rome" } }] },
      ),
    });
    const response = assistant.run({
      message: "The weather in Rome?",
      tools: [weather],
      maxTurns: 3,
    });
    const types: string[] = [];
    for await (const event of response.events) types.push(event.type);
    expect(await response.summary).toBe("Sunny in Rome. ");
    expect(types).toEqual(
      expect.arrayContaining([
        "text",
        "tool_call",
        "execute_function",
        "executed_function",
        "tool_response",
      ]),
    );
    expect(types.at(-1)).toBe("run_completion");
  });

  it("the cost of a group is split by agent, with the selecting one", async () => {
    const [a, b, c] = ["a", "b", "c"].map(
      (name) =>
        new AssistantAgent({ name, llm: scriptedModel(() => `${name} says so.`), stream: true }),
    ) as [AssistantAgent, AssistantAgent, AssistantAgent];
    const manager = new GroupChatManager({
      groupChat: new GroupChat({ agents: [a, b, c], maxRound: 3, allowRepeatSpeaker: false }),
      llm: scriptedModel(["c", "b"]),
    });
    const run = a.startChat(manager, { message: "Hello" });
    const pieces: string[] = [];
    for await (const event of run.events())
      if (event.type === "llm_stream_chunk") pieces.push(event.chunk);
    const { cost, group } = await run.output();
    expect(lines(group?.messages ?? [])).toEqual(["a: Hello", "c: c says so.", "b: b says so."]);
    expect(pieces.join("")).toBe("c says so.b says so.");
    const requests = Object.entries(cost.byAgent).map(([name, each]) => [name, each.requests]);
    expect(Object.fromEntries(requests)).toMatchObject({ b: 1, c: 1, chat_manager: 2 });
  });
});
