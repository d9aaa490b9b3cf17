// Chats before an answer, as somebody writes them who knows them from AG2.
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  AssistantAgent,
  containsTermination,
  contextVariables,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  registerFunction,
  ReplyResult,
  UserProxyAgent,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import { scriptedModel, type Script } from "../../../../src/testing/index.ts";
import { lines, textOf } from "../../../support/conversations.ts";

const assistant = (name: string, script: Script): AssistantAgent =>
  new AssistantAgent({ name, systemMessage: `You are ${name}.`, llm: scriptedModel(script) });

describe("a game of two players with a board between them", () => {
  /** Takes sticks: one that is not there is refused by the board, and the player tries again. */
  const play: Script = ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool")
      return last.content.startsWith("Left: ")
        ? { toolCalls: [{ name: "take", arguments: { sticks: 2 } }] }
        : `I took two. ${last.content}`;
    return last?.content.startsWith("Please make")
      ? "I give up."
      : { toolCalls: [{ name: "look", arguments: {} }] };
  };

  function game() {
    const board = { left: 7 };
    const player = (name: string): ConversableAgent =>
      new ConversableAgent({
        name,
        systemMessage: "Look first, then take sticks.",
        llm: scriptedModel(play),
      });
    const [white, black] = [player("Player White"), player("Player Black")];
    const proxy = new ConversableAgent({
      name: "Board Proxy",
      llm: false,
      humanInputMode: "NEVER",
      defaultAutoReply: "Please make a move.",
      isTerminationMsg: ({ content }) => textOf(content ?? "").startsWith("I took"),
    });
    const look = tool({
      name: "look",
      description: "Says how many sticks are left.",
      input: z.object({}),
      run: () => `Left: ${board.left}`,
    });
    const take = tool({
      name: "take",
      description: "Takes sticks.",
      input: z.object({ sticks: z.int().min(1).max(3) }),
      run: ({ sticks }) => {
        board.left -= sticks;
        return `Now ${board.left}.`;
      },
    });
    for (const caller of [white, black])
      for (const each of [look, take]) registerFunction(each, { caller, executor: proxy });
    white.registerNestedChats(
      [{ sender: proxy, recipient: white, summaryMethod: "last_msg" }],
      black,
    );
    black.registerNestedChats(
      [{ sender: proxy, recipient: black, summaryMethod: "last_msg" }],
      white,
    );
    return { white, black, board };
  }

  it("each answers after a chat with the board, and the other reads only its result", async () => {
    const warnings = vi.spyOn(console, "warn");
    const { white, black, board } = game();
    expect(warnings).not.toHaveBeenCalled(); // one tool of one executor, for two callers
    const { chatHistory, reason } = await black.initiateChat(white, {
      message: "Your move.",
      maxTurns: 2,
    });
    expect(lines(chatHistory)).toEqual([
      "Player Black: Your move.",
      "Player White: I took two. Now 5.",
      "Player Black: I took two. Now 3.",
      "Player White: I took two. Now 1.",
    ]);
    expect(board.left).toBe(1);
    expect(reason).toBe("maximum turns reached");
  });
});

describe("a writer with a critic for the user", () => {
  const blogger = (): AssistantAgent =>
    assistant("Writer", ({ messages }) =>
      messages.length === 2 ? "First draft." : `Improved by: ${messages.at(-1)?.content}`,
    );

  it("the critic reads the draft and its words are the user's feedback", async () => {
    const writer = blogger();
    const critic = assistant("Critic", ({ messages }) => `Too short: ${messages.at(-1)?.content}`);
    const user = new UserProxyAgent({
      name: "User",
      humanInputMode: "NEVER",
      isTerminationMsg: containsTermination,
    });
    user.registerNestedChats(
      [
        {
          recipient: critic,
          message: ({ messages }) => `Review this.\n${textOf(messages.at(-1)?.content)}`,
          summaryMethod: "last_msg",
          maxTurns: 1,
        },
      ],
      writer,
    );
    const { chatHistory, cost } = await user.initiateChat(writer, {
      message: "Write about tides.",
      maxTurns: 2,
    });
    expect(lines(chatHistory)).toEqual([
      "User: Write about tides.",
      "Writer: First draft.",
      "User: Too short: Review this.\nFirst draft.",
      "Writer: Improved by: Too short: Review this.\nFirst draft.",
    ]);
    expect(cost.byAgent["Critic"]?.requests).toBe(1);
  });

  it("several reviewers, with a last one to join their structured answers", async () => {
    const writer = blogger();
    const critic = new AssistantAgent({ name: "Critic", llm: false });
    const form = { summaryPrompt: "As JSON with Reviewer and Review." };
    const reviewer = (name: string): AssistantAgent =>
      assistant(name, ({ messages }) =>
        messages.at(-1)?.content === form.summaryPrompt
          ? JSON.stringify({ Reviewer: name, Review: "fine" })
          : "It reads well, and I could say much more.",
      );
    const meta = assistant("Meta", ({ messages }) => `All: ${messages.at(-1)?.content}`);
    const reflection = {
      summaryMethod: "reflection_with_llm",
      summaryArgs: form,
      maxTurns: 1,
    } as const;
    const message = ({ messages }: { messages: readonly { content: unknown }[] }): string =>
      `Review: ${textOf(messages.at(-1)?.content)}`;
    critic.registerNestedChats(
      [
        { recipient: reviewer("SEO"), message, ...reflection },
        { recipient: reviewer("Legal"), message, ...reflection },
        { recipient: meta, message: "Put it together.", maxTurns: 1 },
      ],
      writer,
    );
    const { chatHistory } = await critic.initiateChat(writer, {
      message: "Write about tides.",
      maxTurns: 2,
    });
    expect(chatHistory[2]?.content).toBe(
      'All: Put it together.\nContext: \n{"Reviewer":"SEO","Review":"fine"}\n{"Reviewer":"Legal","Review":"fine"}',
    );
  });
});

describe("a commander with code written and checked before it is run", () => {
  /** What a nested chat finds out is kept in the commander's variables. */
  function office(isSafe: (code: string) => boolean) {
    const codes = ["rm(everything)", "ship(1, 2) = 0"];
    const writer = assistant("writer", ({ messages }) => {
      const last = textOf(messages.at(-1)?.content);
      if (last.startsWith("Result: ")) return `${last.slice(8)}. TERMINATE`;
      return codes[last.includes("not safe") || isSafe(codes[0] as string) ? 1 : 0] as string;
    });
    const safeguard = assistant("safeguard", ({ messages }) =>
      isSafe(textOf(messages.at(-1)?.content)) ? "SAFE" : "DANGER",
    );
    const commander = new AssistantAgent({
      name: "commander",
      llm: false,
      isTerminationMsg: containsTermination,
    });
    commander.registerNestedChats(
      [
        {
          recipient: safeguard,
          message: ({ messages }) => textOf(messages.at(-1)?.content),
          maxTurns: 1,
          summaryMethod: ({ sender, messages }) => {
            if (messages.at(-1)?.content === "DANGER") return "This is not safe.";
            return `Result: ${sender.name} ran it`;
          },
        },
      ],
      "writer",
    );
    commander.registerNestedChats(
      [
        {
          recipient: writer,
          message: ({ messages }) => `Write code. ${textOf(messages.at(-1)?.content)}`,
        },
      ],
      "user",
    );
    const user = new UserProxyAgent({
      name: "user",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: 0,
    });
    return user.initiateChat(commander, { message: "What if we ship nothing?" });
  }

  it("repeats until the code is safe", async () => {
    const { summary, chatHistory, cost } = await office((code) => !code.startsWith("rm"));
    expect(summary).toBe("commander ran it. ");
    expect(chatHistory).toHaveLength(2);
    expect(cost.byAgent["safeguard"]?.requests).toBe(2);
    expect(cost.byAgent["writer"]?.requests).toBe(3);
  });
});

describe("a lead teacher with a group behind her", () => {
  it("answers a person with the results of chats of two and of a group", async () => {
    const curriculum = assistant("Curriculum_Agent", () => "Standards.");
    const planner = assistant("Lesson_Planner", () => "A plan.");
    const reviewer = assistant("Lesson_Reviewer", () => "A better plan.");
    const manager = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [curriculum, planner, reviewer],
        maxRound: 4,
        sendIntroductions: true,
        speakerSelectionMethod: "round_robin",
      }),
      llm: scriptedModel([]),
    });
    const formatter = assistant(
      "formatter_agent",
      ({ messages }) => `<plan>${messages.at(-1)?.content}`,
    );
    const lead = new ConversableAgent({ name: "Lead_Teacher", humanInputMode: "NEVER" });
    lead.registerNestedChats(
      [
        {
          recipient: curriculum,
          message: ({ messages }) => `Topic: ${textOf(messages.at(-1)?.content)}`,
          maxTurns: 1,
        },
        { recipient: manager, message: "Make a plan.", maxTurns: 1 },
        { recipient: formatter, message: "Format it.", maxTurns: 1 },
      ],
      (sender) => [curriculum, manager, reviewer].every((own) => own !== sender),
    );
    const human = new ConversableAgent({
      name: "human_agent",
      humanInputMode: "ALWAYS",
      getHumanInput: () => "Volcanoes",
    });
    const { chatHistory, humanInput } = await lead.initiateChat(human, {
      message: "What topic?",
      maxTurns: 2,
    });
    expect(humanInput).toEqual(["Volcanoes", "Volcanoes"]);
    expect(chatHistory[2]?.content).toBe("<plan>Format it.\nContext: \nStandards.\nA better plan.");
  });
});

describe("the result of a tool in a nested chat", () => {
  it("is in the agent's variables afterwards", async () => {
    const note = tool({
      name: "note",
      description: "Notes a fact.",
      input: z.object({ fact: z.string() }),
      inject: { variables: contextVariables() },
      run: ({ fact }, { variables }) => {
        variables.set("fact", fact);
        return new ReplyResult({ message: "noted", contextVariables: variables });
      },
    });
    const clerk = new AssistantAgent({
      name: "clerk",
      llm: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? "done"
          : { toolCalls: [{ name: "note", arguments: { fact: "it rained" } }] },
      ),
    });
    const desk = new ConversableAgent({ name: "desk", humanInputMode: "NEVER" });
    registerFunction(note, { caller: clerk, executor: desk });
    desk.registerNestedChats([{ recipient: clerk, maxTurns: 2 }], "visitor");
    const visitor = new ConversableAgent({
      name: "visitor",
      humanInputMode: "NEVER",
      contextVariables: desk.contextVariables,
    });
    const { summary, contextVariables: variables } = await visitor.initiateChat(desk, {
      message: "How was the weather?",
      maxTurns: 1,
    });
    expect(summary).toBe("done");
    expect(variables).toEqual({ fact: "it rained" });
  });
});
