import { describe, expect, it } from "vitest";
import * as z from "zod";
import { errorMessage } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../../src/conversation/agents/conversable-agent-options.ts";
import { AssistantAgent, UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import type { ChatOptions } from "../../../src/conversation/chats/chat-options.ts";
import { ContextVariables } from "../../../src/conversation/context-variables.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import type { Wait } from "../../../src/runtime/run.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { tool } from "../../../src/tools/tool.ts";
import { toldInChat } from "../../support/conversations.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";
import { calling, toldTo } from "../../support/crew-harness.ts";

/** An agent that says one thing after another, by a model. */
function scripted(name: string, script: Script, options: Partial<ConversableAgentOptions> = {}) {
  const model = scriptedModel(script);
  const agent = new ConversableAgent({
    name,
    systemMessage: `You are ${name}.`,
    humanInputMode: "NEVER",
    llm: model,
    ...options,
  });
  return { agent, model };
}

/** An agent whose person says these things, each asked once. */
function person(
  name: string,
  words: readonly string[],
  options: Partial<ConversableAgentOptions> = {},
) {
  const left = [...words];
  const prompts: string[] = [];
  const agent = new ConversableAgent({
    name,
    getHumanInput: (prompt) => {
      prompts.push(prompt);
      return left.shift() ?? "exit";
    },
    ...options,
  });
  return { agent, prompts };
}

const texts = (messages: ReadonlyArray<{ readonly content: unknown }>): readonly string[] =>
  messages.map(({ content }) => contentText(content));

describe("ends of a chat of two", () => {
  it("D1.1: NEVER, and the last message is TERMINATE: no answer, and the counter is at zero", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo, model } = scripted("bo", []);
    const result = await ana.initiateChat(bo, { message: "TERMINATE" });
    expect(result.reason).toBe("termination condition met");
    expect(texts(result.chatHistory)).toEqual(["TERMINATE"]);
    expect(model.calls).toHaveLength(0);
  });

  it("D1.2: a message with TERMINATE among other words continues the chat", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ["TERMINATE"]);
    const result = await ana.initiateChat(bo, { message: "done TERMINATE" });
    expect(texts(result.chatHistory)).toEqual(["done TERMINATE", "TERMINATE"]);
  });

  it("D1.3: after two replies in a row the third is refused", async () => {
    const { agent: ana } = scripted("ana", ["a2", "a3", "a4"]);
    const { agent: bo } = scripted("bo", ["b1", "b2", "b3"], { maxConsecutiveAutoReply: 2 });
    const result = await ana.initiateChat(bo, { message: "a1" });
    expect(texts(result.chatHistory)).toEqual(["a1", "b1", "a2", "b2", "a3"]);
    expect(result.reason).toBe("maximum number of consecutive auto-replies reached");
  });

  it("D1.4: TERMINATE asks the person only at the end of the chat, and continues with the answer", async () => {
    const { agent: ana, prompts } = person("ana", ["go on", "exit"], { llm: false });
    const { agent: bo } = scripted("bo", ["TERMINATE", "TERMINATE"]);
    const result = await ana.initiateChat(bo, { message: "begin" });
    expect(texts(result.chatHistory)).toEqual(["begin", "TERMINATE", "go on", "TERMINATE"]);
    expect(result.humanInput).toEqual(["go on", "exit"]);
    expect(result.reason).toBe("the person ended the chat");
    expect(prompts[0]).toContain("You speak as ana to bo.");
  });

  it("D1.5: ALWAYS, with an empty answer: the model answers, or the chat ends", async () => {
    const { agent: ana } = scripted("ana", ["TERMINATE"]);
    const { agent: bo, prompts } = person("bo", ["", ""], {
      humanInputMode: "ALWAYS",
      llm: scriptedModel(["from the model"]),
    });
    const result = await ana.initiateChat(bo, { message: "begin" });
    expect(texts(result.chatHistory)).toEqual(["begin", "from the model", "TERMINATE"]);
    expect(prompts).toHaveLength(2);
    expect(result.reason).toBe("termination condition met");
  });

  it("D1.6: a person's words answer every call of the message", async () => {
    const { agent: bo } = person("bo", ["stop that", "exit"], { humanInputMode: "ALWAYS" });
    const { agent: ana } = scripted("ana", ["TERMINATE"]);
    const message = {
      content: null,
      toolCalls: [
        { id: "x", name: "look", arguments: "{}" },
        { id: "y", name: "look", arguments: "{}" },
      ],
    };
    const { chatHistory } = await ana.initiateChat(bo, { message });
    expect(chatHistory[1]).toMatchObject({
      content: "stop that",
      toolResponses: [{ toolCallId: "x" }, { toolCallId: "y" }],
    });
  });

  it("TAC1: one turn is a message and its answer (D1.7)", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ["b1", "b2"]);
    const result = await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
    expect(texts(result.chatHistory)).toEqual(["a1", "b1"]);
    expect(result.reason).toBe("maximum turns reached");
  });

  it("D1.8: an answer that ends the chat is the last, before the limit of turns", async () => {
    const { agent: ana } = scripted("ana", ["a2"]);
    const { agent: bo } = scripted("bo", ["TERMINATE"]);
    const result = await ana.initiateChat(bo, { message: "a1", maxTurns: 3 });
    expect(texts(result.chatHistory)).toEqual(["a1", "TERMINATE"]);
    expect(result.reason).toBe("termination condition met");
  });

  it("D1.9: EXIT in capitals is a text", async () => {
    const { agent: bo } = person("bo", ["EXIT", "exit"], { humanInputMode: "ALWAYS" });
    const { agent: ana } = scripted("ana", ["and?"]);
    const { chatHistory } = await ana.initiateChat(bo, { message: "hello" });
    expect(texts(chatHistory)).toEqual(["hello", "EXIT", "and?"]);
  });

  it("TAC2: no turns, no word, an empty summary", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", []);
    const result = await ana.initiateChat(bo, { message: "a1", maxTurns: 0 });
    expect(result).toMatchObject({ chatHistory: [], summary: "", reason: "maximum turns reached" });
  });
});

describe("messages", () => {
  it("TLK2: each side sees its own words as the assistant's", async () => {
    const { agent: ana, model: anas } = scripted("ana", ["a2"]);
    const { agent: bo } = scripted("bo", ["b1", "TERMINATE"]);
    const { chatHistory } = await ana.initiateChat(bo, { message: "a1" });
    expect(chatHistory.map(({ role, name }) => [role, name])).toEqual([
      ["assistant", "ana"],
      ["user", "bo"],
      ["assistant", "ana"],
      ["user", "bo"],
    ]);
    expect(toldTo(anas, 0)).toEqual([
      { role: "system", content: toldInChat("ana", "bo", "You are ana.") },
      { role: "assistant", content: "a1" },
      { role: "user", content: "b1" },
    ]);
  });

  it("TLR1: one agent calls, the other executes; the model reads the results", async () => {
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.string() }),
      run: ({ at }) => `saw ${at}`,
    });
    const model = scriptedModel([calling("look", { at: "logs" }), "It is the disk.", "TERMINATE"]);
    const assistant = new AssistantAgent({ name: "assistant", llm: model });
    const user = new UserProxyAgent({ name: "user", humanInputMode: "NEVER" });
    assistant.registerForLlm(look);
    user.registerForExecution(look);
    const { chatHistory, cost } = await user.initiateChat(assistant, { message: "What is wrong?" });
    expect(texts(chatHistory)).toEqual([
      "What is wrong?",
      "",
      "saw logs",
      "It is the disk.",
      "",
      "TERMINATE",
    ]);
    expect(toldTo(model, 1).at(-1)).toMatchObject({ role: "tool", content: "saw logs" });
    expect(cost.byAgent["assistant"]?.requests).toBe(3);
    expect(cost.total.requests).toBe(3);
  });

  it("TLR1: a call without an executor has an error as its result", async () => {
    const { agent: bo } = scripted("bo", ["TERMINATE"]);
    const { agent: ana } = scripted("ana", ["TERMINATE"]);
    const call = { content: null, toolCalls: [{ id: "x", name: "fly", arguments: "{}" }] };
    const { chatHistory } = await ana.initiateChat(bo, { message: call, maxTurns: 1 });
    expect(chatHistory[1]?.toolResponses?.[0]).toMatchObject({ toolCallId: "x" });
    expect(contentText(chatHistory[1]?.content)).toContain("fly");
  });

  it("continues from messages of an earlier chat, with each side's own messages", async () => {
    const { agent: ana } = scripted("ana", []);
    const chatMessages = {
      ana: [
        { role: "user", content: "before" },
        { role: "assistant", content: "yes" },
      ],
    };
    const { agent: bo, model } = scripted("bo", ["b1"], { chatMessages });
    await ana.initiateChat(bo, { message: "a1", maxTurns: 1, clearHistory: false });
    expect(toldTo(model, 0).slice(1)).toEqual([
      { role: "user", content: "before" },
      { role: "assistant", content: "yes" },
      { role: "user", content: "a1" },
    ]);
  });

  it("D2.10, D2.14: carryover follows the message; the last word without TERMINATE is the summary", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ["All good TERMINATE"]);
    const result = await ana.initiateChat(bo, { message: "Go", carryover: "X", maxTurns: 1 });
    expect(result.chatHistory[0]?.content).toBe("Go\nContext: \nX");
    expect(result.summary).toBe("All good ");
  });

  it("CSM1: a model reflects on the chat, and a function sums it up", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo, model } = scripted("bo", ["b1", "They agreed."]);
    const byModel = await ana.initiateChat(bo, {
      message: "a1",
      maxTurns: 1,
      summaryMethod: "reflection_with_llm",
    });
    expect(byModel.summary).toBe("They agreed.");
    expect(toldTo(model, 1).at(-1)).toMatchObject({ role: "system" });
    const { agent: cy } = scripted("cy", ["c1"]);
    const byFunction = await ana.initiateChat(cy, {
      message: "a1",
      maxTurns: 1,
      summaryMethod: ({ messages }) => ({ content: `${messages.length} messages` }),
    });
    expect(byFunction.summary).toBe("2 messages");
  });

  it("CSM2: a reflecting model knows both speakers, and the author of each message", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo, model } = scripted("bo", ["b1", "They agreed."]);
    await ana.initiateChat(bo, {
      message: "a1",
      maxTurns: 1,
      summaryMethod: "reflection_with_llm",
    });
    const [own, ...said] = toldTo(model, 1).map(({ content }) => content);
    expect(own).toContain("Your name in this conversation is bo.");
    expect(said.slice(0, 2)).toEqual(["ana: a1", "b1"]);
  });

  it("a failed reflection leaves an empty summary", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ["b1"]);
    const { summary } = await ana.initiateChat(bo, {
      message: "a1",
      maxTurns: 1,
      summaryMethod: () => {
        throw new Error("no");
      },
    });
    expect(summary).toBe("");
  });
});

it("names both agents in the system text", async () => {
  const { agent: ana } = scripted("ana", []);
  const { agent: bo, model } = scripted("bo", ["b1"]);
  await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
  expect(toldTo(model, 0).map(({ content }) => content)).toEqual([
    "You are bo.\n\nYour name in this conversation is bo; you talk with ana.",
    "a1",
  ]);
});

describe("the reply chain", () => {
  it("TRN1: the last registered function is asked first, and only for its senders", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ["from the model"]);
    const asked: string[] = [];
    bo.registerReply("ana", () => {
      asked.push("first");
      return { final: true, reply: "from a function" };
    });
    bo.registerReply(ana, ({ contextVariables }) => {
      asked.push("second");
      contextVariables.set("seen", true);
      return { final: false };
    });
    bo.registerReply("somebody else", () => ({ final: true, reply: "no" }));
    const result = await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
    expect(texts(result.chatHistory)).toEqual(["a1", "from a function"]);
    expect(asked).toEqual(["second", "first"]);
  });

  it("TLK3: changes of variables stay in their run", async () => {
    const { agent: ana } = scripted("ana", []);
    const contextVariables = new ContextVariables({ count: 1 });
    const { agent: bo } = scripted("bo", ["b1"], { contextVariables });
    const { agent: cy } = scripted("cy", [], { contextVariables });
    bo.registerReply(cy, (about) => {
      about.contextVariables.set("count", 2);
      return undefined;
    });
    const result = await cy.initiateChat(bo, { message: "c1", maxTurns: 1 });
    expect(result.contextVariables).toEqual({ count: 2 });
    expect(contextVariables.toObject()).toEqual({ count: 1 });
    expect((await ana.initiateChat(bo, { message: "TERMINATE" })).contextVariables).toEqual({});
  });

  it("TRN1: a final answer without words ends the chat", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", []);
    bo.registerReply([() => true], () => ({ final: true, reply: null }));
    const result = await ana.initiateChat(bo, { message: "a1" });
    expect(result.reason).toBe("no reply generated");
  });

  it("CHL1: with turns, the last message of a recipient at its maximum is answered, as without", async () => {
    for (const options of [{ maxTurns: 3 }, {}]) {
      const { agent: ana } = scripted("ana", ["a2", "a3"]);
      const { agent: bo } = scripted("bo", ["b1", "b2"], { maxConsecutiveAutoReply: 1 });
      const { chatHistory } = await ana.initiateChat(bo, { message: "a1", ...options });
      expect(texts(chatHistory)).toEqual(["a1", "b1", "a2"]);
    }
  });

  it("RLC1: positions match AG2's chain of eight links", async () => {
    const asked = async (position: number, message: string): Promise<unknown> => {
      const { agent: ana } = scripted("ana", []);
      const { agent: bo } = scripted("bo", ["the model"]);
      bo.registerReply(
        () => true,
        () => ({ final: true, reply: "the function" }),
        { position },
      );
      const { chatHistory } = await ana.initiateChat(bo, { message, maxTurns: 1 });
      return chatHistory[1]?.content;
    };
    const positions = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    const answers = await Promise.all(positions.map((position) => asked(position, "hi")));
    expect(answers).toEqual([...Array(8).fill("the function"), "the model"]);
    const ends = await Promise.all(positions.map((position) => asked(position, "TERMINATE")));
    expect(ends).toEqual(["the function", "the function", ...Array(7).fill(undefined)]);
  });

  it("RLC1: a function at 2 to 5 is asked before tools, and one at 6 behind them", async () => {
    const asked = async (position: number): Promise<unknown> => {
      const look = tool({
        name: "look",
        description: "Looks",
        input: z.object({}),
        run: () => "seen",
      });
      const { agent: ana } = scripted("ana", [], { llm: false, tools: [look] });
      ana.registerReply(
        () => true,
        () => ({ final: true, reply: "the function" }),
        { position },
      );
      const { agent: bo } = scripted("bo", [calling("look", {}), "done"], { tools: [look] });
      const { chatHistory } = await ana.initiateChat(bo, { message: "go", maxTurns: 2 });
      return contentText(chatHistory[2]?.content);
    };
    expect(await Promise.all([2, 5, 6].map(asked))).toEqual([
      "the function",
      "the function",
      "seen",
    ]);
  });

  it("RLC2: an agent runs the links alone, and steps are numbered by them", () => {
    const { agent } = scripted("bo", []);
    const next = (): undefined => undefined;
    agent.registerReply(() => true, next, { position: 4 });
    agent.registerReply(() => true, next, { position: 99 });
    const kinds = agent.replyChain.map(({ kind }) => kind);
    expect(kinds).toEqual(["termination", "function", "tools", "model", "function"]);
    expect(agent.registerReply(() => true, next, { removeOthers: true }).replyChain).toHaveLength(
      1,
    );
  });

  it("TRN3: an empty model answer leaves the reply to the next link, and then to the default", async () => {
    const ending = async (also: (agent: ConversableAgent) => void, defaultAutoReply = "") => {
      const { agent: ana } = scripted("ana", []);
      const { agent: bo, model } = scripted("bo", () => "", { defaultAutoReply });
      also(bo);
      const { chatHistory, reason } = await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
      return { said: texts(chatHistory), reason, calls: model.calls.length };
    };
    const none = (): void => undefined;
    const isOver = { reason: "maximum turns reached", calls: 2 };
    expect(await ending(none)).toEqual({ said: ["a1", ""], ...isOver });
    expect(await ending(none, "nothing new")).toEqual({ said: ["a1", "nothing new"], ...isOver });
    const withFunction = (agent: ConversableAgent): void =>
      void agent.registerReply(
        () => true,
        () => ({ final: true, reply: "a function" }),
        { position: 8 },
      );
    expect(await ending(withFunction)).toEqual({ said: ["a1", "a function"], ...isOver });
  });

  it("TRN3: a chat without a model's summary has an empty one", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo } = scripted("bo", ({ messages }) =>
      messages.some(({ content }) => content === "Sum up") ? "" : "answer",
    );
    const summaryArgs = { summaryPrompt: "Sum up" };
    const { summary } = await ana.initiateChat(bo, {
      message: "a1",
      maxTurns: 1,
      summaryMethod: "reflection_with_llm",
      summaryArgs,
    });
    expect(summary).toBe("");
  });

  it("TNH1: hooks' changes of a received text stay in the agent's view", async () => {
    const { agent: ana } = scripted("ana", ["and?"]);
    const { agent: bo, model } = scripted("bo", ["b1", "b2"]);
    bo.registerHook("process_last_received_message", (text) => `${text} [fact 7]`);
    const { chatHistory } = await ana.initiateChat(bo, { message: "a1", maxTurns: 2 });
    expect(
      toldTo(model, 1)
        .filter(({ role }) => role === "user")
        .map(({ content }) => content),
    ).toEqual(["a1 [fact 7]", "and? [fact 7]"]);
    expect(texts(chatHistory)).toEqual(["a1", "b1", "and?", "b2"]);
  });

  it("TNH1: hooks see text beside calls, and no call alone", async () => {
    const toolCalls = [{ id: "x", name: "fly", arguments: "{}" }];
    const heard: string[] = [];
    for (const content of ["mark me", "", null]) {
      const { agent: ana } = scripted("ana", []);
      const { agent: bo } = scripted("bo", ["b1"]);
      bo.registerHook("process_last_received_message", (text) => {
        heard.push(text);
        return `${text}!`;
      });
      await ana.initiateChat(bo, { message: { content, toolCalls }, maxTurns: 1 });
    }
    expect(heard).toEqual(["mark me"]);
  });

  it("TNH2: hooks' changes of a history last for one turn", async () => {
    const { agent: ana } = scripted("ana", ["and?"]);
    const { agent: bo, model } = scripted("bo", ["b1", "b2"]);
    let turns = 0;
    bo.registerHook("process_all_messages_before_reply", (messages) =>
      turns++ === 0 ? [{ role: "user", content: "another" }] : messages,
    );
    await ana.initiateChat(bo, { message: "a1", maxTurns: 2 });
    const seen = [0, 1].map((call) =>
      toldTo(model, call)
        .slice(1)
        .map(({ content }) => content),
    );
    expect(seen).toEqual([["another"], ["a1", "b1", "and?"]]);
  });

  it("TNH1: wherever the process dies, hooks on received texts have the same result", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const { agent: ana } = scripted("ana", () => "and?");
      const { agent: bo } = scripted("bo", ({ messages }) =>
        messages.map(({ content }) => content).join("|"),
      );
      bo.registerHook("process_last_received_message", (text) => `${text}!`);
      return { program: chatProgram([ana, bo], { message: "a1", maxTurns: 2 }) };
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("hooks change received, seen and sent messages", async () => {
    const { agent: ana } = scripted("ana", []);
    const { agent: bo, model } = scripted("bo", ["answer"]);
    bo.registerHook("process_last_received_message", (text) => `${text}!`);
    bo.registerHook("process_all_messages_before_reply", (messages) => messages.slice(-1));
    bo.registerHook("process_message_before_send", (message) => ({ ...message, content: "sent" }));
    const { chatHistory } = await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
    expect(toldTo(model, 0).at(-1)).toEqual({ role: "user", content: "a1!" });
    expect(texts(chatHistory)).toEqual(["a1", "sent"]);
  });

  it("refuses unknown hooks, a hook twice, unknown modes and names", () => {
    const { agent } = scripted("ana", []);
    const hook = () => undefined;
    agent.registerHook("update_agent_state", hook);
    expect(() => agent.registerHook("update_agent_state", hook)).toThrow(
      "has this function already",
    );
    expect(() => agent.registerHook("on_send" as "update_agent_state", hook)).toThrow(
      "a hook is one of",
    );
    expect(() => scripted("ana", [], { humanInputMode: "SOMETIMES" as never })).toThrow(
      'humanInputMode must be "ALWAYS", "NEVER" or "TERMINATE", got "SOMETIMES"',
    );
    expect(() => scripted("", [])).toThrow("name");
  });

  it("refuses chats with oneself, wrong turns, and impossible reflections", async () => {
    const ana = new ConversableAgent({ name: "ana" });
    const bo = new ConversableAgent({ name: "bo" });
    const refused = async (options: ChatOptions, other = bo): Promise<string> =>
      ana.initiateChat(other, { message: "a1", ...options }).then(String, errorMessage);
    expect(await refused({}, ana)).toContain('got "ana" twice');
    expect(await refused({ maxTurns: -1 })).toContain("maxTurns must be an integer >= 0, got -1");
    expect(await refused({ summaryMethod: "all" as never })).toContain("summaryMethod must be");
    expect(await refused({ summaryMethod: "reflection_with_llm" })).toContain("needs a model");
  });
});

describe("chats after a crash", () => {
  const made = () => {
    const calls: string[] = [];
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({}),
      run: () => {
        calls.push("look");
        return "the disk is full";
      },
    });
    const assistant = new AssistantAgent({
      name: "assistant",
      llm: scriptedModel(({ messages }) => {
        if (messages.length === 2) return calling("look");
        return ["The disk is full.", "Cleaned."][(messages.length - 4) / 2] ?? "TERMINATE";
      }),
      tools: [look],
    });
    const user = new UserProxyAgent({ name: "user", humanInputMode: "TERMINATE" });
    user.registerForExecution(look);
    user.registerReply(assistant, ({ contextVariables, messages }) => {
      contextVariables.set("heard", messages.length);
      return undefined;
    });
    return {
      calls,
      program: chatProgram([user, assistant], { summaryMethod: "reflection_with_llm" }),
      answer: ({ subject }: Wait) => ({ feedback: subject === "" ? "What is wrong?" : "exit" }),
    };
  };

  it("TLK1, TRN2: wherever its process dies, a chat has the same log, variables and usage", async () => {
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.status).toBe("completed");
    expect(whole.course.calls).toEqual(["look"]);
    expect(whole.course.output).toMatchObject({
      reason: "the person ended the chat",
      humanInput: ["What is wrong?", "exit"],
      contextVariables: { heard: 8 },
      summary: "TERMINATE",
      cost: { total: { requests: 5 } },
    });
    expect(cut.length).toBeGreaterThan(10);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("PSR1: a person without an answer in time counts as answering the default", async () => {
    const clock = new SimulatedClock();
    const { agent: ana } = scripted("ana", ["Well?"]);
    const bo = new UserProxyAgent({ name: "bo", humanInputTimeout: 60, humanInputDefault: "exit" });
    const handle = bo.startChat(ana, { message: "Hello" }, { clock });
    await clock.settle();
    await clock.advance(61_000);
    await clock.settle();
    expect((await handle.output()).reason).toBe("the person ended the chat");
    expect(() => scripted("ana", [], { humanInputTimeout: 0 })).toThrow(
      "humanInputTimeout must be an integer >= 1, got 0",
    );
  });

  it("PSR1: a person is waited for by name, and a chat continues after 90 days", async () => {
    const clock = new SimulatedClock();
    const { agent: ana } = scripted("ana", ["Is that all?", "TERMINATE"]);
    const bo = new UserProxyAgent({ name: "bo" });
    const handle = bo.startChat(ana, { message: "Hello" }, { clock });
    await clock.settle();
    const { waits } = await handle.status();
    expect(waits[0]).toMatchObject({
      kind: "human",
      subject: "Is that all?",
      data: { agent: "bo", peer: "ana" },
    });
    await clock.advance(90 * 24 * 3_600_000);
    await handle.resume({ feedback: "Yes" });
    await clock.settle();
    await handle.resume({ feedback: "exit" });
    const output = await handle.output();
    expect(texts(output.chatHistory)).toEqual(["Hello", "Is that all?", "Yes", "TERMINATE"]);
    expect(output.humanInput).toEqual(["Yes", "exit"]);
  });
});

describe("summary functions", () => {
  it("CSM3: change the sender's variables, and wherever the process dies they do so once", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const contextVariables = new ContextVariables({ rounds: 1 });
      const { agent: ana } = scripted("ana", () => "more", { contextVariables });
      const { agent: bo } = scripted("bo", () => "done");
      const summaryMethod: ChatOptions["summaryMethod"] = ({ contextVariables: variables }) => {
        variables.set("rounds", Number(variables.get("rounds")) + 1);
        return "summed up";
      };
      return { program: chatProgram([ana, bo], { message: "Go", maxTurns: 2, summaryMethod }) };
    });
    expect(whole.course.output).toMatchObject({
      summary: "summed up",
      contextVariables: { rounds: 2 },
    });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});
