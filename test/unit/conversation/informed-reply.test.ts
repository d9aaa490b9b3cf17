// What members know beside what was said, and what they do with it in a turn.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { skill } from "../../../src/agent/skills/skill.ts";
import { errorMessage } from "../../../src/base/error.ts";
import { ConversableAgent } from "../../../src/conversation/agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../../../src/conversation/agents/conversable-agent-options.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { contentText } from "../../../src/conversation/messages.ts";
import { Knowledge } from "../../../src/knowledge/knowledge.ts";
import { knowledgeService } from "../../../src/knowledge/make-knowledge-service.ts";
import { textOfContent } from "../../../src/llm/content.ts";
import type { Message, ModelRequest } from "../../../src/llm/language-model.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import { inMemoryStorage } from "../../../src/memory/in-memory-records.ts";
import { Memory } from "../../../src/memory/memory.ts";
import type { ToolSource } from "../../../src/tools/tool-source.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  asksForQuery,
  calling,
  lastTold,
  scriptedAgent,
  toldTo,
} from "../../support/crew-harness.ts";
import { toldInChat } from "../../support/conversations.ts";
import { cutAfterEveryWrite, type Subject } from "../../support/cut-off.ts";
import { analysisOf, memoryScript, saidEmbedder } from "../../support/memory-harness.ts";

function member(name: string, script: Script, options: Partial<ConversableAgentOptions> = {}) {
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

const user = () => new ConversableAgent({ name: "user", humanInputMode: "NEVER" });

const texts = (messages: ReadonlyArray<{ readonly content: unknown }>): readonly string[] =>
  messages.map(({ content }) => contentText(content));

const lastOf = (messages: readonly Message[]): string =>
  textOfContent(messages.at(-1)?.content ?? "");

const memory = (storage = inMemoryStorage()) =>
  new Memory({
    llm: memoryScript({
      extraction: (text) => ({
        memories: [`learned ${/Result:\n(.*)|Answer:\n(.*)/.exec(text)?.[0] ?? text}`],
      }),
      analysis: analysisOf("/notes"),
      exploration: "nothing",
      consolidation: { actions: [], insert_new: true, insert_reason: "new" },
    }),
    embedder: saidEmbedder(),
    storage,
    recencyWeight: 0,
  });

const look = (calls: string[] = [], name = "look") =>
  tool({
    name,
    description: "Looks.",
    input: z.object({}),
    run: () => {
      calls.push(name);
      return `${name} found dust`;
    },
  });

describe("memories and knowledge of a member", () => {
  it("IRP1: follow the last message, for the model alone", async () => {
    const storage = inMemoryStorage();
    const own = memory(storage);
    await own.remember("The pump is loud axis=4", {
      scope: "/",
      categories: [],
      importance: 0.5,
      metadata: {},
    });
    const { agent, model } = member(
      "helper",
      (request) => (asksForQuery(request) ? "tide" : "fine"),
      {
        memory: own,
        knowledge: new Knowledge({
          sources: [{ name: "sea.md", text: "# Tide\nIt comes at noon." }],
        }),
      },
    );
    const result = await user().initiateChat(
      agent,
      { message: "When is the tide? axis=4", maxTurns: 2 },
      {
        services: {
          memory: storage,
          knowledge: knowledgeService({ embedder: "offline/hash-embed" }),
        },
      },
    );
    const asked = model.calls.flatMap(({ request }, index) =>
      asksForQuery(request) ? [] : [index],
    );
    expect(lastTold(model, asked[0] ?? 0)).toMatch(
      /^When is the tide\? axis=4\n\n[^]*The pump is loud[^]*It comes at noon/,
    );
    expect(toldTo(model, asked[1] ?? 0)[1]?.content).toBe("When is the tide? axis=4");
    expect(result.chatHistory[0]?.content).toBe("When is the tide? axis=4");
  });

  it("MSR1: are opened before the first turn, once for a chat, and fail it when missing", async () => {
    const { agent, model } = member("helper", () => "fine", { memory: true });
    expect(await user().initiateChat(agent, { message: "a" }).then(String, errorMessage)).toContain(
      'agent "helper" has memory, but this run has no store for it',
    );
    expect(model.calls).toHaveLength(0);
    const opened: string[] = [];
    const source: ToolSource = {
      name: "desk",
      open: async (place) => {
        opened.push(place.path);
        return [];
      },
    };
    const { agent: served } = member("served", () => "fine", { mcps: [source] });
    await user().initiateChat(served, { message: "a", maxTurns: 3 });
    expect(opened).toEqual(["chat/tools:desk"]);
    const needy = { ...look(), envVars: [{ name: "DESK_KEY", description: "A key." }] };
    const { agent: keyless } = member("keyless", () => "fine", { tools: [needy] });
    expect(
      await user().initiateChat(keyless, { message: "a" }).then(String, errorMessage),
    ).toContain("DESK_KEY");
  });

  it("MSR2: answers are remembered beside the chat, and there for the next, wherever the process dies", async () => {
    const made = (): Subject => {
      const storage = inMemoryStorage();
      const shared = memory(storage);
      const answered = ({ messages }: Pick<ModelRequest, "messages">, axis: number) =>
        `${messages.length}${lastOf(messages).includes("<memory>") ? " with memory" : ""} axis=${axis}`;
      const { agent } = member("helper", (request) => answered(request, 4), { memory: shared });
      const { agent: crewAgent } = scriptedAgent((request) => answered(request, 5), {
        role: "Watcher",
        memory: shared,
      });
      const program = chatProgram([agent, ConversableAgent.of(crewAgent)], {
        message: "axis=4",
        maxTurns: 2,
      });
      return {
        services: { memory: storage },
        program: {
          ...program,
          run: async (scope, inputs) => {
            const { chatHistory } = await program.run(scope, inputs);
            const { items } = await storage.records.list({}, { limit: 100 });
            return {
              said: texts(chatHistory),
              stored: items.map(({ content }) => content).toSorted(),
            };
          },
        },
      };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.status).toBe("completed");
    const { said, stored } = whole.course.output as Record<string, readonly string[]>;
    expect(said).toEqual(["axis=4", "2 axis=5", "3 with memory axis=4", "4 with memory axis=5"]);
    expect(stored).toHaveLength(3);
    expect(stored?.join("\n")).toContain("3 with memory axis=4");
    expect(cut.length).toBeGreaterThan(20);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});

describe("memories of members in nested chats", () => {
  it("MSR1, MSR2: are opened and saved within the answered turn, wherever the process dies", async () => {
    const made = (): Subject => {
      const storage = inMemoryStorage();
      const calls: string[] = [];
      const source: ToolSource = {
        name: "desk",
        open: async (place) => [
          await place
            .callOnce(() => (calls.push("list"), "ask_desk"))
            .then((name) => look(calls, name)),
        ],
      };
      const { agent: inner } = member(
        "inner",
        ({ messages }) =>
          lastOf(messages).includes("dust") ? `dust axis=${messages.length}` : calling("ask_desk"),
        { memory: memory(storage), mcps: [source] },
      );
      const { agent: owner } = member("owner", () => "never asked");
      owner.registerNestedChats([{ recipient: inner, maxTurns: 1 }], "asker");
      const { agent: asker } = member("asker", () => "And?");
      const program = chatProgram([asker, owner], { message: "Look!", maxTurns: 2 });
      return {
        calls,
        services: { memory: storage },
        program: {
          ...program,
          run: async (scope, inputs) => {
            const { chatHistory } = await program.run(scope, inputs);
            const { items } = await storage.records.list({}, { limit: 100 });
            return { said: texts(chatHistory), stored: items.length };
          },
        },
      };
    };
    const { whole, cut } = await cutAfterEveryWrite(made);
    expect(whole.course.status).toBe("completed");
    expect(whole.course.output).toEqual({
      // The second time it remembers the dust, and does not ask.
      said: ["Look!", "dust axis=4", "And?", "dust axis=2"],
      stored: 2,
    });
    expect(whole.calls).toEqual(["list", "ask_desk", "list"]);
    expect(cut.length).toBeGreaterThan(20);
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });
});

describe("calls in a turn", () => {
  it("IRP2: private tools are run in the turn", async () => {
    const calls: string[] = [];
    const source: ToolSource = { name: "desk", open: async () => [look(calls, "ask_desk")] };
    const { agent, model } = member(
      "helper",
      [calling("ask_desk"), calling("load_skill", { skill_name: "cleaning" }), "Swept."],
      {
        mcps: [source],
        skills: [skill("---\nname: cleaning\ndescription: How to clean.\n---\nUse a broom.")],
      },
    );
    const { chatHistory } = await user().initiateChat(agent, { message: "Clean!", maxTurns: 1 });
    expect(texts(chatHistory)).toEqual(["Clean!", "Swept."]);
    expect(calls).toEqual(["ask_desk"]);
    expect(toldTo(model, 0)[0]?.content).toMatch(/^You are helper\.\n\n[^]*How to clean/);
    expect(lastTold(model, 1)).toBe("ask_desk found dust");
    expect(lastTold(model, 2)).toContain("Use a broom.");
  });

  it("IRP2: without maxIter a call is the message; with it, the agent executes it", async () => {
    const script = [calling("look"), "Dusty."];
    const split = member("split", script, { tools: [look()] });
    const called = await user().initiateChat(split.agent, { message: "Look!", maxTurns: 1 });
    expect(called.chatHistory[1]?.toolCalls).toMatchObject([{ name: "look" }]);
    const whole = member("whole", script, { tools: [look()], maxIter: 3 });
    const result = await user().initiateChat(whole.agent, { message: "Look!", maxTurns: 1 });
    expect(texts(result.chatHistory)).toEqual(["Look!", "Dusty."]);
    expect(result.cost.byAgent["whole"]?.requests).toBe(2);
    const offered = member("offered", script, { maxIter: 3 });
    offered.agent.registerForLlm(look());
    const others = await user().initiateChat(offered.agent, { message: "Look!", maxTurns: 1 });
    expect(others.chatHistory[1]?.toolCalls).toMatchObject([{ name: "look" }]);
  });

  it("IRP2: a resultAsAnswer result ends the turn", async () => {
    const final = { ...look(), resultAsAnswer: true };
    const { agent } = member("helper", [calling("look")], { tools: [final], maxIter: 3 });
    const { summary } = await user().initiateChat(agent, { message: "Look!", maxTurns: 1 });
    expect(summary).toBe("look found dust");
  });

  it("IRP3: of calls of both kinds its own are executed, and the others are to be made again", async () => {
    const calls: string[] = [];
    const both = {
      toolCalls: [
        { name: "look", arguments: {} },
        { name: "ask", arguments: {} },
      ],
    };
    const { agent, model } = member("helper", [both, calling("ask")], {
      tools: [look(calls)],
      maxIter: 3,
    });
    agent.registerForLlm(look(calls, "ask"));
    const { chatHistory } = await user().initiateChat(agent, { message: "Look!", maxTurns: 1 });
    expect(calls).toEqual(["look"]);
    expect(
      toldTo(model, 1)
        .slice(-2)
        .map(({ content }) => content),
    ).toEqual([
      "look found dust",
      expect.stringContaining("ask was not run: somebody else runs it."),
    ]);
    expect(chatHistory[1]?.toolCalls).toMatchObject([{ name: "ask" }]);
  });

  it("IRP3: a call in a truncated message is not executed", async () => {
    const calls: string[] = [];
    const cutOff = {
      toolCalls: [{ name: "look", arguments: {} }],
      finishReason: "length" as const,
    };
    const { agent, model } = member("helper", [cutOff, "Sorry."], {
      tools: [look(calls)],
      maxIter: 3,
    });
    await user().initiateChat(agent, { message: "Look!", maxTurns: 1 });
    expect(calls).toEqual([]);
    expect(lastTold(model, 1)).toContain("look");
  });

  it("IRP4: after the last model call it has to answer without tools", async () => {
    const { agent, model } = member("helper", [calling("look"), calling("look"), "Enough."], {
      tools: [look()],
      maxIter: 2,
    });
    const { summary } = await user().initiateChat(agent, { message: "Look!", maxTurns: 1 });
    expect(summary).toBe("Enough.");
    expect(model.calls[2]?.request.toolChoice).toBe("none");
    expect(lastTold(model, 2)).toContain("You have used up your steps.");
    const mute = member("mute", [calling("look"), calling("look")], {
      tools: [look()],
      maxIter: 1,
    });
    expect(
      await user()
        .initiateChat(mute.agent, { message: "Look!", maxTurns: 1 })
        .then(String, errorMessage),
    ).toContain("no final answer");
  });

  it("the next turn's model receives the original history", async () => {
    const { agent, model } = member("helper", [calling("look"), "Dusty.", "Still dusty."], {
      tools: [look()],
      maxIter: 3,
    });
    await user().initiateChat(agent, { message: "Look!", maxTurns: 2 });
    expect(texts(toldTo(model, 2))).toEqual([
      toldInChat("helper", "user", "You are helper."),
      "Look!",
      "Dusty.",
      "",
    ]);
  });
});

describe("the shape of replies", () => {
  const responseFormat = z.object({ count: z.number() });

  it("is JSON, repaired when it does not fit", async () => {
    const { agent, model } = member(
      "helper",
      ['{"count":"many"}', '{"count":3}', '```json\n{"count": 4}\n```'],
      {
        responseFormat,
      },
    );
    const { chatHistory } = await user().initiateChat(agent, { message: "How many?", maxTurns: 2 });
    expect(texts(chatHistory)).toEqual(["How many?", '{"count":3}', "", '{"count":4}']);
    expect(toldTo(model, 0)[0]?.content).toContain('"count"');
  });

  it("guardrails refuse or replace an answer before others read it", async () => {
    const seen: unknown[] = [];
    const { agent, model } = member("helper", ['{"count":9}', '{"count":3}'], {
      responseFormat,
      guardrail: (output) => {
        seen.push(output.object);
        return (output.object as { count: number }).count < 5
          ? [true, { count: 2 }]
          : [false, "too many"];
      },
    });
    const { summary } = await user().initiateChat(agent, { message: "How many?", maxTurns: 1 });
    expect(summary).toBe('{"count":2}');
    expect(seen).toEqual([{ count: 9 }, { count: 3 }]);
    expect(lastTold(model, 1)).toContain("too many");
    const plain = member("plain", ["a"], { guardrail: () => [true, "b"] });
    expect((await user().initiateChat(plain.agent, { message: "?", maxTurns: 1 })).summary).toBe(
      "b",
    );
  });

  it("refuses invalid options, when the agent is defined", () => {
    expect(() => member("helper", [], { maxIter: 0 })).toThrow(
      'agent "helper": maxIter must be an integer >= 1, got 0',
    );
    expect(() => member("helper", [], { memory: 3 as never })).toThrow(
      'agent "helper": memory must be',
    );
    expect(() => member("helper", [], { responseFormat: z.date() })).toThrow("Date");
  });
});
