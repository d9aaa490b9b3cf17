import { EngineError } from "../../../../src/base/error.ts";
import { describe, expect, it } from "vitest";
import type { ConversableAgent } from "../../../../src/conversation/agents/conversable-agent.ts";
import { registerFunction } from "../../../../src/conversation/agents/toolkit.ts";
import { chatProgram } from "../../../../src/conversation/chats/initiate-chat.ts";
import { GroupChatManager } from "../../../../src/conversation/groups/group-chat-manager.ts";
import {
  GroupChat,
  type GroupChatOptions,
} from "../../../../src/conversation/groups/group-chat.ts";
import { scriptedModel, type Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { tool } from "../../../../src/tools/tool.ts";
import * as z from "zod";
import { counting, lines, quiet, scripted, toldInGroup } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

type Setup = Partial<Omit<GroupChatOptions, "agents">> & { readonly selecting?: Script };

function managerOf(
  agents: readonly ConversableAgent[],
  { selecting = [], ...options }: Setup = {},
): { readonly manager: GroupChatManager; readonly model: ReturnType<typeof scriptedModel> } {
  const model = scriptedModel(selecting);
  const groupChat = new GroupChat({ agents, ...options });
  return { manager: new GroupChatManager({ groupChat, llm: model }), model };
}

/** What a group says, as `name: text`, and why it ended. */
async function course(
  agents: readonly ConversableAgent[],
  setup: Setup,
  opener = quiet("opener"),
): Promise<{
  readonly said: readonly string[];
  readonly reason: string;
  readonly summary: string;
}> {
  const { manager } = managerOf(agents, setup);
  const { group, reason, summary } = await opener.initiateChat(manager, { message: "Begin" });
  return { said: lines(group?.messages ?? []), reason, summary };
}

const three = (): readonly ConversableAgent[] => ["a", "b", "c"].map((name) => counting(name));

describe("a selection function", () => {
  it("fails for a message put into the group, and names the way to do it", async () => {
    const pushing = course(three(), {
      speakerSelectionMethod: ({ messages }) => {
        (messages as unknown[]).push({ role: "user", content: "Look at this" });
        return "a";
      },
    });
    await expect(pushing).rejects.toMatchObject({
      code: "user_code_failed",
      message: expect.stringMatching(
        /^the selection function "speakerSelectionMethod" of the group of a, b, c threw: .*Cannot add property \d+, object is not extensible.*; it only chooses: .*registerReply\(\)/,
      ) as string,
    });
  });
});

describe("the loop of a group", () => {
  it("GLP1: three rounds are the first message and two answers (D3.28)", async () => {
    const { said, reason, summary } = await course(three(), {
      speakerSelectionMethod: "round_robin",
      maxRound: 3,
    });
    expect(said).toEqual(["opener: Begin", "a: a 2", "b: b 3"]);
    expect(reason).toBe("maximum rounds reached");
    expect(summary).toBe("b 3");
  });

  it("GLP1: a message matched by the manager's predicate ends the chat, after all have seen it", async () => {
    const agents = [scripted("a", ["TERMINATE"]), counting("b")];
    const { said, reason } = await course(agents, { speakerSelectionMethod: "round_robin" });
    expect(said).toEqual(["opener: Begin", "a: TERMINATE"]);
    expect(reason).toBe("termination condition met");
  });

  it("GLP2: a member without a reply is skipped, and does not end the chat", async () => {
    const mute = quiet("mute").registerReply(
      () => true,
      () => ({ final: true, reply: null }),
    );
    const agents = [mute, counting("b"), counting("c")];
    const { said } = await course(agents, { speakerSelectionMethod: "round_robin", maxRound: 4 });
    expect(said).toEqual(["opener: Begin", "b: b 2", "c: c 3", "b: b 4"]);
  });

  it("GLP2: the chat ends when no member has a reply, or in compat mode after the first one", async () => {
    const mute = (name: string): ConversableAgent =>
      quiet(name).registerReply(
        () => true,
        () => ({ final: true, reply: null }),
      );
    const method = { speakerSelectionMethod: "round_robin" } as const;
    const all = await course([mute("a"), mute("b")], method);
    expect(all).toMatchObject({ said: ["opener: Begin"], reason: "no next speaker selected" });
    const ag2 = await course([mute("a"), counting("b")], { ...method, compat: "ag2-0.14" });
    expect(ag2).toMatchObject({ said: ["opener: Begin"], reason: "no reply generated" });
  });

  it("GTK1: a member sees its own messages as its own, and others with their names", async () => {
    const model = scriptedModel(["first", "second"]);
    const agents = [quiet("a", { llm: model, systemMessage: "Be a." }), scripted("b", ["from b"])];
    await course(agents, { speakerSelectionMethod: "round_robin", maxRound: 4 });
    expect(model.calls[1]?.messages).toEqual([
      { role: "system", content: toldInGroup("a", "Be a.") },
      { role: "user", content: "opener: Begin" },
      { role: "assistant", content: "first" },
      { role: "user", content: "b: from b" },
    ]);
  });

  it("GTK1: introductions reach members, and are not part of the transcript", async () => {
    const model = scriptedModel(["hi"]);
    const agents = [quiet("a", { llm: model, description: "Adds." }), counting("b")];
    const { said } = await course(agents, {
      speakerSelectionMethod: "round_robin",
      sendIntroductions: true,
      maxRound: 2,
    });
    expect(said).toEqual(["opener: Begin", "a: hi"]);
    expect(JSON.stringify(model.calls[0]?.messages)).toContain("a: Adds.");
  });

  it("GRD3: an empty text is a message, and only a member without a reply ends the group of AG2", async () => {
    const setup = {
      speakerSelectionMethod: "round_robin",
      maxRound: 5,
      compat: "ag2-0.14",
    } as const;
    const empty = await course([counting("a"), quiet("mute")], setup);
    expect(empty.said).toEqual(["opener: Begin", "a: a 2", "mute: ", "a: a 4", "mute: "]);
    const mute = quiet("mute").registerReply(
      () => true,
      () => ({ final: true, reply: null }),
    );
    const none = await course([counting("a"), mute], setup);
    expect(none).toMatchObject({ said: ["opener: Begin", "a: a 2"], reason: "no reply generated" });
  });

  it("GRD4: a model's quote of the command clears no history", async () => {
    const agents = [counting("a"), scripted("b", ["The file says: clear history"])];
    const { said } = await course(agents, {
      speakerSelectionMethod: "round_robin",
      enableClearHistory: true,
      maxRound: 3,
    });
    expect(said).toEqual(["opener: Begin", "a: a 2", "b: The file says: clear history"]);
  });

  it("counts the replies of members over all turns of a chat with the group", async () => {
    const agents = [counting("a"), counting("b", { maxConsecutiveAutoReply: 1 })];
    const { manager } = managerOf(agents, { speakerSelectionMethod: "round_robin", maxRound: 3 });
    const opener = quiet("opener", { defaultAutoReply: "more" });
    const { group, reason } = await opener.initiateChat(manager, { message: "Begin", maxTurns: 2 });
    const all = ["opener: Begin", "a: a 2", "b: b 3", "opener: more", "a: a 5"];
    expect(lines(group?.messages ?? [])).toEqual(all);
    expect(reason).toBe("maximum number of consecutive auto-replies reached");
  });

  it("TRN3: a model with empty selections leaves the choice to the order", async () => {
    const { manager, model } = managerOf(three(), { selecting: () => "", maxRound: 3 });
    const { group } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(lines(group?.messages ?? [])).toEqual(["opener: Begin", "a: a 2", "b: b 3"]);
    expect(model.calls.length).toBe(12); // two choices, three questions each, each asked twice
  });

  it("GRD4: a person clears histories by the command, when the group allows it", async () => {
    const model = scriptedModel(["after"]);
    const typed = ["CLEAR HISTORY 1", ""];
    const agents = [
      quiet("a", {
        llm: model,
        systemMessage: "",
        humanInputMode: "ALWAYS",
        getHumanInput: () => typed.shift() ?? "exit",
      }),
      scripted("b", ["from b"]),
    ];
    const { said } = await course(agents, {
      speakerSelectionMethod: "round_robin",
      enableClearHistory: true,
      maxRound: 4,
    });
    expect(said).toEqual(["opener: Begin", "a: ", "b: from b", "a: after"]);
    expect(model.calls[0]?.messages.slice(1).map(({ content }) => content)).toEqual([
      expect.stringContaining("Begin"),
      "",
      expect.stringContaining("from b"),
    ]);
  });

  it("GRD4: a person's command in place of a call leaves the call of its result", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => "seen",
    });
    const a = quiet("a", { humanInputMode: "ALWAYS", getHumanInput: () => "CLEAR HISTORY" });
    const b = scripted("b", [calling("look")]);
    registerFunction(look, { caller: b, executor: a });
    const { manager } = managerOf([a, b], {
      speakerSelectionMethod: "round_robin",
      enableClearHistory: true,
      maxRound: 3,
    });
    const { group } = await a.initiateChat(manager, { message: "Begin" });
    expect(
      group?.messages.map(({ toolCalls, toolResponses }) =>
        [toolCalls, toolResponses].map(Boolean),
      ),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("GRD4: a person's words beside the command stay, and the person is asked in the next turn", async () => {
    const prompts: string[] = [];
    const typed = ["I begin clear history a", "once more"];
    const a = quiet("a", {
      llm: scriptedModel(["a model"]),
      humanInputMode: "ALWAYS",
      getHumanInput: (prompt) => {
        prompts.push(prompt);
        return typed.shift() ?? "exit";
      },
    });
    const { said } = await course([a, quiet("b")], {
      speakerSelectionMethod: () => a,
      enableClearHistory: true,
      maxRound: 3,
    });
    expect(said).toEqual(["opener: Begin", "a: I begin", "a: once more"]);
    expect(prompts).toHaveLength(2);
  });
});

describe("finding the next speaker", () => {
  it("CLS1: in turn, after the last speaker, and from the first after an outsider (D3.18)", async () => {
    const agents = three();
    const { said } = await course(
      agents,
      { speakerSelectionMethod: "round_robin", maxRound: 5 },
      agents[2],
    );
    expect(said).toEqual(["c: Begin", "a: a 2", "b: b 3", "c: c 4", "a: a 5"]);
  });

  it("CLS1: a single candidate is chosen without a question (D3.19)", async () => {
    const agents = three();
    const { manager, model } = managerOf(agents, {
      allowedOrDisallowedSpeakerTransitions: { a: ["b"] },
      speakerTransitionsType: "allowed",
    });
    const [a] = agents as readonly [ConversableAgent];
    const { group, reason } = await a.initiateChat(manager, { message: "Begin" });
    expect(lines(group?.messages ?? [])).toEqual(["a: Begin", "b: b 2"]);
    expect(reason).toBe("no next speaker selected");
    expect(model.calls).toHaveLength(0);
  });

  it("CLS1: a model selects, and is asked again until it names one (D3.24)", async () => {
    const agents = ["Engineer", "Critic", "Clerk"].map((name) => counting(name));
    const { manager, model } = managerOf(agents, {
      selecting: ["Engineer", "Engineer or Critic", "Critic", "?", "none", "nobody"],
      maxRound: 4,
    });
    const { group, cost } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual([
      "opener",
      "Engineer",
      "Critic",
      "Clerk",
    ]);
    expect(model.calls).toHaveLength(6);
    expect(cost.byAgent["chat_manager"]?.requests).toBe(6);
  });

  it("AMD4: a model is limited to the names of the candidates, and one such answer is enough", async () => {
    const agents = ["Engineer", "Critic", "Clerk"].map((name) => counting(name));
    const { manager, model } = managerOf(agents, {
      selecting: [JSON.stringify({ next_speaker: "Critic" })],
      maxRound: 2,
    });
    const { group } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual(["opener", "Critic"]);
    expect(model.calls).toHaveLength(1);
    expect(model.calls[0]?.request.responseSchema?.schema).toMatchObject({
      properties: { next_speaker: { enum: ["Engineer", "Critic", "Clerk"] } },
    });
  });

  it("AMD4: a server without support for the shape is asked in words", async () => {
    const agents = ["Engineer", "Critic"].map((name) => counting(name));
    const llm = scriptedModel(
      ({ tools }) =>
        tools === undefined
          ? "Critic"
          : { error: new EngineError("model_rejected", "tool_choice is not supported") },
      { capabilities: { responseSchema: false } },
    );
    const groupChat = new GroupChat({ agents, maxRound: 2 });
    const manager = new GroupChatManager({ groupChat, llm });
    const { group } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual(["opener", "Critic"]);
    expect(llm.calls).toHaveLength(2);
  });

  it("CLS1: a call goes to the member with its function (D3.26)", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => "seen",
    });
    const caller = scripted("caller", [calling("look"), "done"]).registerForLlm(look);
    const executor = quiet("executor").registerForExecution(look);
    const { said } = await course([caller, counting("other"), executor], {
      speakerSelectionMethod: "round_robin",
      maxRound: 4,
    });
    expect(said).toEqual(["opener: Begin", "caller: ", "executor: seen", "caller: done"]);
  });

  it("CLS1: a function selects a member, a method, or no speaker (D3.27)", async () => {
    const agents = three();
    const answers: unknown[] = [agents[1], "round_robin", null];
    const { said, reason } = await course(agents, {
      speakerSelectionMethod: () => answers.shift(),
    });
    expect(said).toEqual(["opener: Begin", "b: b 2", "c: c 3"]);
    expect(reason).toBe("no next speaker selected");
    const stranger = course(agents, { speakerSelectionMethod: () => quiet("stranger") });
    await expect(stranger).rejects.toThrow(/stranger.*is no member/);
  });

  it("CLS1: policies see the first round as 1, and end the chat when they refuse every speaker (D3.29)", async () => {
    const rounds: number[] = [];
    const { said, reason } = await course(three(), {
      speakerSelectionMethod: "round_robin",
      eligibilityPolicies: [
        (name, { round }) => {
          rounds.push(round);
          return round < 2 && name === "b";
        },
      ],
    });
    expect(said).toEqual(["opener: Begin", "b: b 2"]);
    expect(reason).toBe("no next speaker selected");
    expect(rounds[0]).toBe(1);
  });

  it("CLS1: a person selects by number, or leaves it to the order", async () => {
    const agents = three();
    const words = ["2", "what?", "9", ""];
    const groupChat = new GroupChat({ agents, speakerSelectionMethod: "manual", maxRound: 4 });
    const manager = new GroupChatManager({ groupChat, getHumanInput: () => words.shift() ?? "" });
    const { group } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual(["opener", "b", "c", "a"]);
    expect(words).toEqual([]);
  });

  it("AMD1: a demo model is not asked", async () => {
    const groupChat = new GroupChat({ agents: three(), maxRound: 3 });
    const manager = new GroupChatManager({ groupChat, llm: "offline/demo" });
    const { group } = await quiet("opener").initiateChat(manager, { message: "Begin" });
    expect(group?.messages.map(({ name }) => name)).toEqual(["opener", "a", "b"]);
  });
});

describe("a group chat's definition", () => {
  const agents = three();
  it.each([
    [
      "D3.23: both repeats and transitions",
      {
        allowRepeatSpeaker: true,
        allowedOrDisallowedSpeakerTransitions: { a: ["b"] },
        speakerTransitionsType: "allowed" as const,
      },
      /got both/,
    ],
    [
      "D3.23: transitions without a type",
      { allowedOrDisallowedSpeakerTransitions: { a: ["b"] } },
      /transitionsType/,
    ],
    [
      "D3.23: a stranger",
      {
        allowedOrDisallowedSpeakerTransitions: { x: ["b"] },
        speakerTransitionsType: "allowed" as const,
      },
      /"x"/,
    ],
    ["5: an unknown method", { speakerSelectionMethod: "loudest" }, /round_robin/],
    ["5: a negative number of retries", { maxRetriesForSelectingSpeaker: -1 }, /integer >= 0/],
    ["5: an empty message template", { selectSpeakerMessageTemplate: "" }, /not be empty/],
  ])("%s is refused", (_, options, message) => {
    expect(() => new GroupChat({ agents, ...options })).toThrow(message);
  });

  it("D3.23: two members of one name are refused", () => {
    expect(() => new GroupChat({ agents: [quiet("a"), quiet("a")] })).toThrow(/"a" more than once/);
  });

  it("7: a manager takes no tools, and a selecting one needs a model", () => {
    const groupChat = new GroupChat({ agents });
    expect(() => new GroupChatManager({ groupChat })).toThrow(/none is set/);
    const tools = [tool({ name: "t", description: "t", input: z.object({}), run: () => "" })];
    const options = { groupChat, llm: scriptedModel([]), tools };
    expect(() => new GroupChatManager(options)).toThrow(/takes no tools/);
  });
});

describe("groups within chats", () => {
  it("7: a manager is a member of another group, with its own group's summary as message", async () => {
    const { manager: inner } = managerOf([scripted("x", ["from x"]), scripted("y", ["from y"])], {
      speakerSelectionMethod: "round_robin",
      maxRound: 3,
    });
    const { said } = await course([counting("a"), inner], {
      speakerSelectionMethod: "round_robin",
      maxRound: 3,
    });
    expect(said).toEqual(["opener: Begin", "a: a 2", "chat_manager: from y"]);
  });

  it("7.2: a group continues from messages, and refuses those of strangers", async () => {
    const agents = three();
    const { manager } = managerOf(agents, { speakerSelectionMethod: "round_robin", maxRound: 2 });
    const { history, lastMessage, lastAgent } = manager.resume(
      [
        { role: "user", content: "one", name: "a" },
        { role: "user", content: "two TERMINATE", name: "b" },
      ],
      { removeTerminationString: "TERMINATE" },
    );
    const resumed = managerOf(agents, {
      speakerSelectionMethod: "round_robin",
      maxRound: 2,
      messages: history,
    });
    const last = agents.find(({ name }) => name === lastAgent) as ConversableAgent;
    const { group } = await last.initiateChat(resumed.manager, { message: lastMessage });
    expect(lines(group?.messages ?? [])).toEqual(["a: one", "b: two ", "c: c 3"]);
    expect(() => manager.resume([{ content: "x", name: "z" }])).toThrow(/"z".*no member/);
  });

  it("7: in a chat with several turns the group talks about each message", async () => {
    const { manager } = managerOf(three(), { speakerSelectionMethod: "round_robin", maxRound: 2 });
    const opener = scripted("opener", ["And then?"]);
    const { group } = await opener.initiateChat(manager, { message: "Begin", maxTurns: 2 });
    expect(lines(group?.messages ?? [])).toEqual([
      "opener: Begin",
      "a: a 2",
      "opener: And then?",
      "a: a 4",
    ]);
  });

  const answers = [
    ["round:1/", "I say"],
    ["round:3/", ""],
  ] as const;

  it("GRD1: wherever the process dies, the group has the same messages", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const p = quiet("p", { humanInputMode: "ALWAYS" });
      const { manager } = managerOf([counting("a"), counting("b"), p], {
        selecting: ({ messages }) => (messages.length % 2 === 0 ? "a" : "p"),
        maxRound: 5,
        eligibilityPolicies: [() => true],
      });
      return {
        program: chatProgram([counting("opener"), manager], { message: "Begin" }),
        answer: ({ key }) => ({
          feedback: answers.find(([at]) => key.includes(at))?.[1] ?? "more",
        }),
      };
    });
    expect(whole.course).toMatchObject({
      status: "completed",
      output: { humanInput: ["I say", ""] },
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
