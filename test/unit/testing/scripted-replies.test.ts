import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EngineError } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../../src/conversation/agents/conversable-agent-options.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import type { ScriptedAgents } from "../../../src/hooks/scripted-agents.ts";
import { modelCatalog } from "../../../src/llm/model-catalog.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import {
  scriptedReplies,
  testAgent,
  toolCall,
  toolsMessage,
  type ScriptedReplies,
} from "../../../src/testing/index.ts";
import { tool } from "../../../src/tools/tool.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

/** Real models that no test has a key for. */
const member = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: "NEVER", llm: "openai/gpt-5-mini", ...options });

const texts = (messages: ReadonlyArray<{ readonly content: unknown }>): readonly string[] =>
  messages.map(({ content }) => contentText(content));

const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.string() }),
  run: ({ at }) => `saw ${at}`,
});

describe("replies by agent", () => {
  it("SRP4: replace the models of all agents of a chat, and record the requests of each", async () => {
    const [ana, bo] = [member("ana", { tools: [look] }), member("bo")];
    const both = toolsMessage(toolCall("look", { at: "logs" }), toolCall("look", { at: "disk" }));
    const replies = scriptedReplies({ bo: [both, "It is full."], ana: ["TERMINATE"] });
    const { chatHistory } = await replies.run(() => ana.initiateChat(bo, { message: "Look." }));
    expect(texts(chatHistory)).toEqual([
      "Look.",
      "",
      "saw logs\n\nsaw disk",
      "It is full.",
      "TERMINATE",
    ]);
    expect(chatHistory[1]?.toolCalls?.map(({ id }) => id)).toEqual(["call_bo_0_0", "call_bo_0_1"]);
    expect(replies.callsOf("bo")).toHaveLength(2);
    expect(replies.callsOf("ana").at(-1)?.request.messages.at(-1)?.content).toBe("It is full.");
    expect(replies.callsOf("cy")).toEqual([]);
  });

  it("SRP4: services do the same for one run, and agents without a script keep their models", async () => {
    const ana = member("ana", { llm: scriptedModel(["TERMINATE"]) });
    const bo = member("bo", { llm: false });
    const { services } = scriptedReplies({ bo: ["from the script"] });
    const { chatHistory } = await ana.initiateChat(bo, { message: "Hello." }, { services });
    expect(texts(chatHistory)).toEqual(["Hello.", "from the script", "TERMINATE"]);
    const plain = await ana.initiateChat(bo, { message: "Hello.", maxTurns: 1 });
    expect(texts(plain.chatHistory)).toEqual(["Hello.", ""]);
  });

  it("is a model that answers each agent by its own script, for `llm` and for apps", async () => {
    const llm = scriptedReplies({ ana: ["TERMINATE"], bo: ["b1"] });
    const ana = member("ana", { llm });
    const bo = member("bo", { llm: "openai/gpt-5-mini" });
    const models = modelCatalog({ variables: {}, models: { "openai/gpt-5-mini": llm } });
    const { chatHistory } = await ana.initiateChat(bo, { message: "a1" }, { models });
    expect(texts(chatHistory)).toEqual(["a1", "b1", "TERMINATE"]);
    const stranger = member("cy", { llm });
    await expect(ana.initiateChat(stranger, { message: "a1" })).rejects.toThrow(
      /no replies are scripted for the agent that calls at chat\/turn:1:cy\/llm; scripted are: ana, bo/,
    );
  });

  it("SRP4: knows agents of crews by their roles, with inputs or without", async () => {
    const agent = (role: string): Agent =>
      new Agent({ role, goal: "g", backstory: "b", llm: "openai/gpt-5-mini" });
    const [writer, critic] = [agent("{topic} writer"), agent("Critic")];
    const crew = new Crew({
      tasks: [writer, critic].map(
        (each) => new Task({ description: "Do it", expectedOutput: "A line", agent: each }),
      ),
    });
    const replies = scriptedReplies({ "Tea writer": ["Tea is hot."], Critic: ["Is it?"] });
    const { raw } = await replies.run(() => crew.kickoff({ inputs: { topic: "Tea" } }));
    expect(raw).toBe("Is it?");
    expect(replies.callsOf("Tea writer")).toHaveLength(1);
    const asWritten = scriptedReplies({ "{topic} writer": ["x"], Critic: ["y"] });
    expect((await asWritten.run(() => crew.kickoff({ inputs: { topic: "Tea" } }))).raw).toBe("y");
  });

  it("SRP4: apply to a run started inside, after the code is over", async () => {
    const ana = member("ana", { humanInputMode: "ALWAYS" });
    const bo = member("bo");
    const replies = scriptedReplies({ bo: ["b1", "b2"] });
    const run = replies.run(() => ana.startChat(bo, { message: "a1" }));
    const seen: string[] = [];
    for (const feedback of ["a2", "exit"]) {
      await expect.poll(async () => (await run.status()).waits.length).toBe(1);
      seen.push((await run.status()).waits[0]?.prompt ?? "");
      await run.resume({ feedback });
    }
    expect(texts((await run.output()).chatHistory)).toEqual(["a1", "b1", "a2", "b2"]);
    expect(seen[1]).toContain("b2");
  });

  it("SRP4: apply to a chat that joins a running flow", async () => {
    const [ana, bo] = [member("ana"), member("bo")];
    const flow = defineFlow({
      name: "asks",
      methods: {
        talk: {
          start: true,
          run: async () => {
            const replies = scriptedReplies({ bo: ["b1"] });
            const chat = await replies.run(() =>
              ana.initiateChat(bo, { message: "a1", maxTurns: 1 }),
            );
            return chat.summary;
          },
        },
      },
    });
    expect(await flow.kickoff()).toMatchObject({ value: "b1" });
  });

  it("scopes within scopes add up, the inner one first", async () => {
    const [ana, bo] = [member("ana"), member("bo")];
    const outer = scriptedReplies({ ana: ["TERMINATE"], bo: ["outer"] });
    const inner = scriptedReplies({ bo: ["inner"] });
    const { chatHistory } = await outer.run(() =>
      inner.run(() => ana.initiateChat(bo, { message: "a1" })),
    );
    expect(texts(chatHistory)).toEqual(["a1", "inner", "TERMINATE"]);
  });

  it("SRP2: retries a retryable error with the reply after it, and fails with any other", async () => {
    const [ana, bo] = [member("ana"), member("bo")];
    const limited = new EngineError("model_rate_limited", "slow down", {
      retryable: true,
      retryAfterMs: 1,
    });
    const refused = new EngineError("model_rejected", "no");
    const replies = scriptedReplies({
      bo: [{ error: limited }, { error: limited }, "b1", { error: refused }],
      ana: ["a2"],
    });
    await replies.run(async () => {
      const first = await ana.initiateChat(bo, { message: "a1", maxTurns: 1 });
      expect(texts(first.chatHistory)).toEqual(["a1", "b1"]);
      await expect(ana.initiateChat(bo, { message: "a1", maxTurns: 2 })).rejects.toThrow("no");
    });
  });

  it("SRP3: names the agent out of replies, and their count", async () => {
    const [ana, bo] = [member("ana"), member("bo")];
    const replies = scriptedReplies({ ana: ["a2"], bo: ["b1"] });
    await expect(replies.run(() => ana.initiateChat(bo, { message: "a1" }))).rejects.toMatchObject({
      code: "model_rejected",
      message:
        'agent "bo" has 1 scripted reply, but call 2 of its model was made; its last message: a2',
    });
  });

  it("SRP3: people answer from the script, and a question beyond it names the agent", async () => {
    const ana = member("ana", { humanInputMode: "ALWAYS" });
    const bo = member("bo");
    const script = { bo: () => "b" };
    const humanInputs = { ana: ["hello", "", "exit"] };
    const replies = scriptedReplies({ ...script, ana: ["by its model"] }, { humanInputs });
    const result = await replies.run(() => ana.initiateChat(bo));
    expect(texts(result.chatHistory)).toEqual(["hello", "b", "by its model", "b"]);
    expect(result.humanInput).toEqual(["hello", "", "exit"]);
    const short = scriptedReplies(script, { humanInputs: { ana: ["hello"] } });
    await expect(short.run(() => ana.initiateChat(bo))).rejects.toThrow(
      'the person of agent "ana" has 1 scripted input, but was asked 2 times',
    );
  });
});

describe("replies of a run that loses its process", () => {
  /** What forgets, with each drive, all that it was asked before. */
  function forgetful(make: () => ScriptedReplies): ScriptedAgents {
    return {
      modelOf: (names) => make().modelOf(names),
      personOf: (name) => make().personOf(name),
    };
  }

  it("SRP1: a stateless script gives the same replies wherever the process dies", async () => {
    const limited = new EngineError("model_failed", "again", {
      retryable: true,
      retryAfterMs: 1,
    });
    const said = { bo: [toolCall("look", { at: "x" }), { error: limited }, "b2", "b3"] };
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const ana = member("ana", { humanInputMode: "ALWAYS", tools: [look] });
      const replies = (): ScriptedReplies =>
        scriptedReplies(said, { humanInputs: { ana: ["first", "", "second", "exit"] } });
      return {
        program: chatProgram([ana, member("bo")], {}),
        services: { scriptedAgents: forgetful(replies) },
      };
    });
    const { chatHistory } = whole.run.output as { chatHistory: Array<{ content: string }> };
    expect(texts(chatHistory)).toEqual(["first", "", "saw x", "b2", "second", "b3"]);
    for (const { run } of cut) expect(run.output).toEqual(whole.run.output);
  });

  it("SRP1: replies nested in other turns count as well", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const [ana, bo, cy] = [member("ana"), member("bo"), member("cy")];
      bo.registerNestedChats([{ recipient: cy, maxTurns: 1 }], "ana");
      const replies = (): ScriptedReplies =>
        scriptedReplies({ ana: ["a2", "TERMINATE"], cy: ["c1", "c2", "c3"] });
      return {
        program: chatProgram([ana, bo], { message: "a1" }),
        services: { scriptedAgents: forgetful(replies) },
      };
    });
    const { chatHistory } = whole.run.output as { chatHistory: Array<{ content: string }> };
    expect(texts(chatHistory)).toEqual(["a1", "c1", "a2", "c2", "TERMINATE"]);
    for (const { course } of cut) expect(course).toEqual(whole.course);
  });
});

describe("an agent in a test", () => {
  it("TSA1: replies from its script without a person, and is unchanged afterwards", async () => {
    const ana = member("ana", { llm: scriptedModel(["own", "TERMINATE"]) });
    const bo = member("bo", { humanInputMode: "ALWAYS", getHumanInput: () => "exit" });
    const test = testAgent(bo, ["b1", { text: "TERMINATE" }]);
    const result = await test.run(() => ana.initiateChat(bo, { message: "a1" }));
    expect(texts(result?.chatHistory ?? [])).toEqual(["a1", "b1", "own", "TERMINATE"]);
    expect(test.calls).toHaveLength(2);
    const after = await ana.initiateChat(bo, { message: "a1" });
    expect(after.humanInput).toEqual(["exit"]);
  });

  it("SRP3: fails when the replies run out, unless suppressMessagesEnd is set", async () => {
    const [ana, bo] = [member("ana", { llm: scriptedModel(() => "go on") }), member("bo")];
    const talk = () => ana.initiateChat(bo, { message: "a1" });
    await expect(testAgent(bo, ["b1"]).run(talk)).rejects.toThrow('agent "bo" has 1 scripted');
    const suppressing = testAgent(bo, ["b1"], { suppressMessagesEnd: true });
    expect(await suppressing.run(talk)).toBeUndefined();
    expect(suppressing.calls).toHaveLength(2);
    const failing = () => Promise.reject(new Error("of its own"));
    await expect(suppressing.run(failing)).rejects.toThrow("of its own");
  });

  it("TSA1: stands in for an agent of a crew, by its role", async () => {
    const agent = new Agent({ role: "Clerk", goal: "g", backstory: "b", tools: [look] });
    const test = testAgent(agent, [toolCall("look", { at: "tea" }), "Twelve."]);
    expect((await test.run(() => agent.kickoff("How many?")))?.raw).toBe("Twelve.");
    expect(test.calls[1]?.request.messages.at(-1)?.content).toBe("saw tea");
  });
});

describe("messages that call tools", () => {
  it("have the calls of all, and the other fields of the first", () => {
    expect(toolCall("stop")).toEqual({ toolCalls: [{ name: "stop", arguments: {} }] });
    const one = { ...toolCall("a", "{broken"), text: "both" };
    expect(toolsMessage(one, { ...toolCall("b", { n: 1 }), text: "unused" })).toEqual({
      text: "both",
      toolCalls: [
        { name: "a", arguments: "{broken" },
        { name: "b", arguments: { n: 1 } },
      ],
    });
  });
});
