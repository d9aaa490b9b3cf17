// Group chats, as somebody writes them who knows them from AG2.
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  AssistantAgent,
  containsTermination,
  ConversableAgent,
  GroupChat,
  GroupChatManager,
  registerFunction,
  UserProxyAgent,
  type SelectionFunction,
} from "../../../../src/conversation/index.ts";
import { tool } from "../../../../src/index.ts";
import { scriptedModel, type Script } from "../../../../src/testing/index.ts";
import { lines } from "../../../support/conversations.ts";

const assistant = (name: string, script: Script): AssistantAgent =>
  new AssistantAgent({ name, systemMessage: `You are ${name}.`, llm: scriptedModel(script) });

describe("teams with talk among members, and among leaders", () => {
  const TALLIES = { A0: 1, A1: 2, B0: 3, B1: 4 };
  const NEXT: Readonly<Record<string, string>> = { A0: "A1", A1: "A0", B0: "B1", B1: "B0" };

  it("a model chooses among the allowed followers, and is not asked about a single one", async () => {
    const agents = Object.entries(TALLIES).map(([name, tally]) =>
      assistant(name, ({ messages }) => {
        const all = messages.map(({ content }) => content).join(" ");
        const counted = Object.keys(TALLIES).filter((each) => all.includes(`${each}=`));
        if (counted.length === 4) return "The sum is 10. TERMINATE";
        const next = name === "A0" && counted.length === 2 ? "B0" : NEXT[name];
        return `${name}=${tally} NEXT: ${next}`;
      }),
    );
    const byName = (name: string): AssistantAgent =>
      agents.find((agent) => agent.name === name) as AssistantAgent;
    const chooser = scriptedModel(
      ({ messages }) =>
        /NEXT: (\w\d)/.exec(
          messages.findLast(({ content }) => content.includes("NEXT:"))?.content ?? "",
        )?.[1] ?? "",
    );
    const ends = ({ content }: { readonly content: unknown }): boolean =>
      typeof content === "string" && content.includes("TERMINATE");
    const user = new UserProxyAgent({
      name: "User_proxy",
      humanInputMode: "NEVER",
      isTerminationMsg: ends,
    });
    const chat = new GroupChat({
      agents: [...agents, user],
      maxRound: 20,
      allowedOrDisallowedSpeakerTransitions: {
        A0: [byName("A1"), byName("B0")],
        A1: [byName("A0")],
        B0: [byName("B1"), byName("A0")],
        B1: [byName("B0")],
      },
      speakerTransitionsType: "allowed",
    });
    expect(chat.warnings).toEqual([expect.stringContaining("User_proxy")]);
    const manager = new GroupChatManager({ groupChat: chat, llm: chooser, isTerminationMsg: ends });
    const { group, summary, reason } = await byName("A0").initiateChat(manager, {
      message: "Count your sticks. A0=1 NEXT: A1",
    });
    expect(group?.messages.map(({ name }) => name)).toEqual(["A0", "A1", "A0", "B0", "B1", "B0"]);
    expect(summary).toBe("The sum is 10. ");
    expect(reason).toBe("termination condition met");
    expect(chooser.calls).toHaveLength(3); // A1 and B1 have one successor each
  });
});

describe("a workflow of states, by a function", () => {
  it("retries after a failure, and ends when the function returns null", async () => {
    const user = new UserProxyAgent({ name: "Init" });
    const answers = ["exit code 1", "exit code 0"];
    const coder = new ConversableAgent({
      name: "Retrieve_1",
      humanInputMode: "NEVER",
      llm: scriptedModel(({ messages }) => `code ${messages.length}`),
    });
    const executor = new UserProxyAgent({ name: "Retrieve_2", humanInputMode: "NEVER" });
    executor.registerReply("chat_manager", () => ({ final: true, reply: answers.shift() }));
    const scientist = assistant("Research_1", () => "A table of papers.");
    const transition: SelectionFunction = ({ lastSpeaker, messages }) => {
      if (lastSpeaker === user.name) return coder;
      if (lastSpeaker === coder.name) return executor;
      if (lastSpeaker === executor.name)
        return messages.at(-1)?.content === "exit code 1" ? coder : scientist;
      return null;
    };
    const manager = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [user, coder, executor, scientist],
        messages: [],
        maxRound: 20,
        speakerSelectionMethod: transition,
      }),
    });
    const { group, reason } = await user.initiateChat(manager, { message: "Topic: tides" });
    expect(lines(group?.messages ?? [])).toEqual([
      "Init: Topic: tides",
      "Retrieve_1: code 2",
      "Retrieve_2: exit code 1",
      "Retrieve_1: code 4",
      "Retrieve_2: exit code 0",
      "Research_1: A table of papers.",
    ]);
    expect(reason).toBe("no next speaker selected");
  });

  it("a debate takes turns by a counting function; a moderator without a reply ends it", async () => {
    const architect = assistant("Architect", ({ messages }) => `for ${messages.length}`);
    const challenger = assistant("Challenger", ({ messages }) => `against ${messages.length}`);
    const judge = assistant("Judge", () => "VERDICT: it depends.");
    const moderator = new UserProxyAgent({
      name: "moderator",
      humanInputMode: "NEVER",
      maxConsecutiveAutoReply: 0,
    });
    const order = [architect, challenger, architect, challenger, judge];
    const groupChat = new GroupChat({
      agents: [moderator, architect, challenger, judge],
      maxRound: 6,
      speakerSelectionMethod: ({ messages }) => order[messages.length - 1] ?? moderator,
    });
    const manager = new GroupChatManager({ groupChat, llm: false });
    const { group, summary, reason } = await moderator.initiateChat(manager, {
      message: "Monolith or services?",
    });
    expect(group?.messages.slice(1).map(({ name }) => name)).toEqual(order.map(({ name }) => name));
    expect(summary).toBe("VERDICT: it depends.");
    expect(reason).toBe("maximum rounds reached");
  });

  it("a function's stranger or unknown method is an error with the possible values", async () => {
    const [a, b] = [assistant("a", () => "a"), assistant("b", () => "b")];
    const stranger = assistant("stranger", () => "?");
    const talk = (select: SelectionFunction): Promise<unknown> =>
      a.initiateChat(
        new GroupChatManager({
          groupChat: new GroupChat({ agents: [a, b], speakerSelectionMethod: select }),
        }),
        { message: "Hello" },
      );
    await expect(talk(() => stranger)).rejects.toThrow(
      'the speaker selection function chose "stranger", who is no member; members: a, b',
    );
    await expect(talk(() => "b")).rejects.toThrow(/auto, manual, random, round_robin/);
  });
});

describe("a group with a caller and an executor", () => {
  it("the call goes to the member with the function, and its result to the caller", async () => {
    const price = tool({
      name: "price",
      description: "The price of an article.",
      input: z.object({ article: z.string() }),
      run: ({ article }) => ({ article, price: 3 }),
    });
    const analyst = assistant("Analyst", ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? `It costs ${(JSON.parse(messages.at(-1)?.content ?? "{}") as { price: number }).price}. TERMINATE`
        : { toolCalls: [{ name: "price", arguments: { article: "cup" } }] },
    );
    const critic = assistant("Critic", () => "Says who?");
    const executor = new UserProxyAgent({ name: "Tools", humanInputMode: "NEVER" });
    registerFunction(price, { caller: analyst, executor });
    const user = new UserProxyAgent({ name: "Admin", humanInputMode: "NEVER" });
    const manager = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [user, analyst, critic, executor],
        maxRound: 8,
        allowedOrDisallowedSpeakerTransitions: {
          Admin: [analyst],
          Analyst: [executor, critic],
          Tools: [analyst],
          Critic: [user],
        },
        speakerTransitionsType: "allowed",
      }),
      llm: scriptedModel([]),
      isTerminationMsg: containsTermination,
    });
    const { group, cost } = await user.initiateChat(manager, { message: "What is a cup?" });
    expect(group?.messages.map(({ name, role }) => `${name} ${role}`)).toEqual([
      "Admin user",
      "Analyst assistant",
      "Tools tool",
      "Analyst assistant",
    ]);
    expect(
      Object.entries(cost.byAgent).map(([name, { requests }]) => `${name} ${requests}`),
    ).toContain("Analyst 2");
  });
});

describe("a group continued on another day", () => {
  it("from its saved messages, with the last speaker", async () => {
    const planner = assistant("Planner", ({ messages }) => `step ${messages.length}`);
    const engineer = assistant("Engineer", ({ messages }) => `built ${messages.length}`);
    const managerOf = (messages: readonly unknown[]): GroupChatManager =>
      new GroupChatManager({
        groupChat: new GroupChat({
          agents: [planner, engineer],
          messages,
          maxRound: 3,
          speakerSelectionMethod: "round_robin",
        }),
        isTerminationMsg: containsTermination,
      });
    const before = await planner.initiateChat(managerOf([]), { message: "Let us build." });
    const saved = JSON.stringify(before.group?.messages);
    expect(JSON.parse(saved)).toHaveLength(3);

    const { lastAgent, lastMessage, history } = managerOf([]).resume(saved, {
      removeTerminationString: "TERMINATE",
    });
    const last = [planner, engineer].find(({ name }) => name === lastAgent);
    const after = await last?.initiateChat(managerOf(history), {
      message: lastMessage,
      clearHistory: false,
    });
    expect(lines(after?.group?.messages ?? []).map((line) => line.split(":")[0])).toEqual([
      "Planner",
      "Engineer",
      "Planner",
      "Engineer",
      "Planner",
    ]);
  });
});

describe("people in a group", () => {
  it("a user proxy is asked in its turn, by a wait with its name", async () => {
    const user = new UserProxyAgent({ name: "Customer" });
    const agent = assistant("Desk", ({ messages }) => `You said: ${messages.at(-1)?.content}`);
    const manager = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [user, agent],
        maxRound: 10,
        speakerSelectionMethod: "round_robin",
      }),
    });
    const run = user.startChat(manager, { message: "Hello" });
    const answers = ["Where is my parcel?", "exit"];
    for (const feedback of answers) {
      const [wait] = await vi.waitUntil(async () => {
        const { waits } = await run.status();
        return waits.length > 0 && waits;
      });
      expect(wait?.prompt).toContain("You speak as Customer in a group.");
      await run.resume({ feedback });
      await vi.waitUntil(async () => (await run.status()).waits[0]?.key !== wait?.key);
    }
    const { group, reason, humanInput } = await run.output();
    expect(lines(group?.messages ?? [])).toEqual([
      "Customer: Hello",
      "Desk: You said: Customer: Hello",
      "Customer: Where is my parcel?",
      "Desk: You said: Customer: Where is my parcel?",
    ]);
    expect(reason).toBe("the person ended the chat");
    expect(humanInput).toEqual(answers);
  });

  it("disallowed transitions keep a person from being asked twice in a row", async () => {
    const said = ["first", "second"];
    const user = new UserProxyAgent({ name: "user", getHumanInput: () => said.shift() ?? "exit" });
    const [a, b] = [assistant("a", () => "from a"), assistant("b", () => "from b")];
    const manager = new GroupChatManager({
      groupChat: new GroupChat({
        agents: [user, a, b],
        maxRound: 5,
        speakerSelectionMethod: "round_robin",
        allowedOrDisallowedSpeakerTransitions: { user: [user], a: [b], b: [a] },
        speakerTransitionsType: "disallowed",
      }),
    });
    const { group } = await user.initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual(["user", "a", "user", "a", "user"]);
  });
});
