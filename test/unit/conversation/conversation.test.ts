/* oxlint-disable unicorn/no-thenable -- `then` is how graphs are written, and never a function */
import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { conversationFromDefinition } from "../../../src/conversation/definition/conversation-from-definition.ts";
import { defineConversation, type Conversation } from "../../../src/conversation/conversation.ts";
import { UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { TOOL_EXECUTOR } from "../../../src/conversation/groups/execute-calls.ts";
import { DefaultPattern, RoundRobinPattern } from "../../../src/conversation/groups/patterns.ts";
import type { ConversationFinder } from "../../../src/conversation/named-conversation.ts";
import { agentTarget, terminateTarget } from "../../../src/conversation/targets/targets.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import type { LanguageModel } from "../../../src/llm/language-model.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { currentTime } from "../../../src/tools/builtin/builtin-tools.ts";
import { counting, lines } from "../../support/conversations.ts";
import { ConversationWorld, echoing } from "../../support/conversation-world.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

/** Runs whose models all are this one. */
const by = (model: LanguageModel) => ({ models: () => model });

const patternOfPair = () => {
  const [a, b] = [counting("a"), counting("b")];
  return new RoundRobinPattern({ initialAgent: a, agents: [a, b], contextVariables: { n: 1 } });
};

const pair = () => defineConversation({ name: "pair", pattern: patternOfPair(), maxRounds: 4 });

describe("a conversation in code", () => {
  it("RCV2: returns all messages, each with the name of its speaker", async () => {
    const output = await pair().kickoff({ message: "Begin", contextVariables: { m: 2 } });
    expect(lines(output.messages)).toEqual(["user: Begin", "a: a 2", "b: b 3", "a: a 4"]);
    expect(output).toMatchObject({
      summary: "a 4",
      lastSpeaker: "a",
      rounds: 4,
      contextVariables: { n: 1, m: 2 },
      usage: { requests: 3 },
    });
    expect(output).not.toHaveProperty("pending");
  });

  it("RCV1: runs any number of times at once, and in a run with its inputs", async () => {
    const conversation = pair();
    const [one, two] = await Promise.all([
      conversation.kickoff({ message: "One" }),
      conversation.kickoff({ message: "Two", maxRounds: 2 }),
    ]);
    expect([one.rounds, two.rounds]).toEqual([4, 2]);
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      program: pair().program(),
      inputs: { message: "Begin" },
    }));
    expect(whole.run.output).toMatchObject({ lastSpeaker: "a", rounds: 4 });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("joins the run of its caller", async () => {
    const conversation = pair();
    const flow = defineFlow({
      name: "outer",
      methods: {
        go: {
          start: true,
          run: async () => (await conversation.kickoff({ message: "Go" })).summary,
        },
      },
    });
    const { value, state } = await flow.start().output();
    expect({ value, state }).toMatchObject({ value: "a 4" });
  });

  it("has people, who answer its run", async () => {
    const a = counting("a").setAfterWork(agentTarget("ana"));
    const ana = new UserProxyAgent({ name: "ana" });
    ana.setAfterWork(terminateTarget());
    const pattern = new DefaultPattern({ initialAgent: a, agents: [a], userAgent: ana });
    const run = defineConversation({ name: "desk", pattern }).start({ message: "Hello" });
    await expect
      .poll(async () => (await run.status()).waits)
      .toMatchObject([{ data: { agent: "ana" } }]);
    await run.resume({ feedback: "Thanks" });
    expect(lines((await run.output()).messages)).toEqual(["ana: Hello", "a: a 2", "ana: Thanks"]);
  });

  it.each([
    [{ name: "" }, /needs a name/],
    [{ maxRounds: 0 }, /maxRounds must be an integer >= 1, got 0/],
  ])("with %j is refused when it is defined", (wrong, message) => {
    const pattern = patternOfPair();
    expect(() => defineConversation({ name: "x", pattern, ...wrong })).toThrow(message);
  });
});

describe("inputs of a conversation", () => {
  it("CRQ1: messages without a name are the user's, or the first agent's for the role assistant", () => {
    const messages = [
      "One",
      { role: "assistant", content: "Two" },
      { role: "user", name: "user", content: "Three" },
      { role: "assistant", name: "b", content: "Four" },
      { content: "Five" },
    ];
    expect(lines(pair().openingOf({ messages }))).toEqual([
      "user: One",
      "a: Two",
      "user: Three",
      "b: Four",
      "user: Five",
    ]);
  });

  it("CRQ1: the messages of an output with calls of tools in it can be sent again", async () => {
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? "It is late."
        : { toolCalls: [{ name: "current_time", arguments: {} }] },
    );
    const conversation = conversationFromDefinition(
      { name: "clock", agents: { a: { tools: ["current_time"] } } },
      { tools: [currentTime] },
    );
    const first = await conversation.kickoff({ message: "When?" }, by(model));
    expect(first.messages.map(({ name }) => name)).toEqual(["user", "a", TOOL_EXECUTOR, "a"]);
    const next = await conversation.kickoff(
      { messages: [...first.messages, "And now?"] },
      by(scriptedModel(() => "Later.")),
    );
    expect(lines(next.messages).slice(3)).toEqual([
      "a: It is late.",
      "user: And now?",
      "a: Later.",
    ]);
  });

  it.each([
    [{}, "/message"],
    [{ message: "" }, "/message"],
    [{ message: "x", messages: ["x"] }, "/message"],
    [{ messages: [] }, "/messages"],
    [{ messages: ["x", { content: "x", name: "zoe" }] }, "/messages/1"],
    [{ messages: [{ role: "user" }] }, "/messages/0"],
    [{ message: "x", maxRounds: 1.5 }, "/maxRounds"],
    [{ message: "x", contextVariables: { a: { b: () => 1 } } }, "/contextVariables/a/b"],
    [{ message: "x", contextVariables: "all" }, "/contextVariables"],
  ])("CRQ2: %j is refused at %s", (request, path) => {
    expect(() => pair().check(request)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        issues: [expect.objectContaining({ path })],
      }),
    );
  });

  it("CRQ2: all faults are reported at once", () => {
    expect(() => pair().check({ maxRounds: 0, contextVariables: [] })).toThrow(
      expect.objectContaining({
        issues: ["/message", "/maxRounds", "/contextVariables"].map((path) =>
          expect.objectContaining({ path }),
        ),
      }),
    );
  });
});

describe("a definition", () => {
  it("CFD1: has the deployment's model for agents without one, and asks no person", async () => {
    const conversation = conversationFromDefinition({
      agents: { a: {}, b: { llm: false }, c: { human_input_mode: "ALWAYS" }, ana: { human: true } },
    });
    const { members } = conversation.exchange.prepare().group;
    expect(members.map(({ name, humanInputMode, llm }) => [name, humanInputMode, llm])).toEqual([
      ["a", "NEVER", { spec: undefined }],
      ["b", "NEVER", false],
      ["c", "ALWAYS", { spec: undefined }],
      ["ana", "ALWAYS", false],
    ]);
    const { summary } = await conversation.kickoff(
      { message: "Hi" },
      by(scriptedModel(() => "From the default")),
    );
    expect(summary).toBe("From the default");
  });

  it("CFD2: names its tools in the registry", () => {
    const definition = { agents: { a: { tools: ["Current time", "teleport", "fly"] } } };
    expect(() => conversationFromDefinition(definition, { tools: [currentTime] })).toThrow(
      expect.objectContaining({
        code: "invalid_definition",
        issues: [
          expect.objectContaining({ path: "/agents/a/tools/1" }),
          expect.objectContaining({ path: "/agents/a/tools/2" }),
        ],
      }),
    );
  });

  it("refuses a missing variable, or reads it as false on request", async () => {
    const definition = {
      agents: {
        a: { handoffs: [{ to: "b", when: "${later} == 1" }], after_work: "terminate" },
        b: {},
      },
    };
    const kickoff = (more: object) =>
      conversationFromDefinition({ ...definition, ...more }).kickoff(
        { message: "x" },
        by(scriptedModel(echoing)),
      );
    await expect(kickoff({})).rejects.toThrow(/"later", which is not set/);
    await expect(kickoff({ missing_variables: "false" })).resolves.toMatchObject({
      lastSpeaker: "a",
    });
  });

  it.each([
    ["round_robin", ["a", "b", "a"]],
    [{ kind: "auto", selection_message: "Choose of {agentlist}" }, ["a", "b", "b"]],
    [{ kind: "default", initial_agent: "b", group_after_work: "stay" }, ["b", "b", "b"]],
    [{ kind: "default", group_after_work: { random: ["a", "b"] } }, ["a", "b", "a"]],
  ])("with the pattern %j has its speakers", async (pattern, names) => {
    const conversation = conversationFromDefinition({
      agents: { a: {}, b: {} },
      pattern,
      max_rounds: 4,
    });
    const model = scriptedModel(({ messages }) =>
      JSON.stringify(messages).includes("Choose of") ? "b" : "fine",
    );
    const { messages } = await conversation.kickoff({ message: "x" }, by(model));
    expect(messages.slice(1).map(({ name }) => name)).toEqual(names);
  });

  it("follows a graph, introduces members, and is summed up by a model", async () => {
    const conversation = conversationFromDefinition({
      agents: { a: { description: "First" }, b: { description: "Second" } },
      graph: {
        initial_speaker: "a",
        transitions: [
          {
            when: { name: "from_speaker", args: { agent_id: "a" } },
            then: { name: "agent", args: { agent_id: "b" } },
          },
        ],
        default_target: "terminate",
      },
      send_introductions: true,
      summary_method: "reflection_with_llm",
      summary_prompt: "In one word",
    });
    const model = scriptedModel(({ messages }) =>
      JSON.stringify(messages).includes("In one word") ? "Done" : "fine",
    );
    const { messages, summary } = await conversation.kickoff({ message: "x" }, by(model));
    expect(messages.map(({ name }) => name)).toEqual(["user", "a", "b"]);
    expect(summary).toBe("Done");
    expect(JSON.stringify(model.calls[0]?.messages)).toContain("a: First");
  });
});

const OUTER = {
  name: "outer",
  agents: {
    a: {
      system_message: "Outer.",
      handoffs: [{ to: { conversation: "inner", max_rounds: 3 }, when: "${ask}" }],
    },
  },
  context_variables: { ask: true },
  max_rounds: 5,
};
const INNER = { agents: { x: { system_message: "Inner.", after_work: "terminate" } } };

describe("a conversation with a link to another one", () => {
  it("NCV1: finds the one of the code, or else the stored one, when a run starts", async () => {
    const world = new ConversationWorld();
    const json = async (name: string, definition: unknown) =>
      (await world.ask(`/conversations/${name}`, { method: "PUT", json: definition })).status;
    expect(await json("outer", OUTER)).toBe(201);
    const early = await world.converse("outer");
    expect((await world.ask(`/runs/${early}`)).json).toMatchObject({
      status: "failed",
      error: { code: "not_found", message: 'there is no conversation "inner"' },
    });
    expect(await json("inner", INNER)).toBe(201);
    const id = await world.converse("outer");
    const { output } = (await world.ask(`/runs/${id}`)).json as unknown as {
      output: { messages: [] };
    };
    expect(lines(output.messages).join("\n")).toContain("wrapped_group_a_2: Inner. 2");
    const { messages: before } = output;
    expect(
      (await world.ask("/conversations/outer/kickoff", { json: { messages: before } })).status,
    ).toBe(202);
    const registered = conversationFromDefinition(OUTER, {
      conversations: { inner: conversationFromDefinition({ name: "inner", ...INNER }) },
    });
    const { messages } = await registered.kickoff({ message: "x" }, by(scriptedModel(echoing)));
    expect(lines(messages).join("\n")).toContain("Inner. 2");
  });

  it("NCV1: keeps the found definition, also after later changes", async () => {
    const world = new ConversationWorld();
    const outer = {
      ...OUTER,
      agents: {
        ana: { human: true, after_work: { conversation: "inner" } },
        ...OUTER.agents,
      },
      context_variables: { ask: false },
      pattern: { kind: "default", initial_agent: "ana" },
    };
    await world.ask("/conversations/outer", { method: "PUT", json: outer });
    await world.ask("/conversations/inner", { method: "PUT", json: INNER });
    const id = await world.converse("outer");
    await world.ask("/conversations/inner", { method: "DELETE" });
    await world.ask(`/runs/${id}/messages`, { json: { name: "ana", content: "Go on" } });
    await world.clock.settle();
    const { json } = await world.ask(`/runs/${id}/messages`);
    expect(JSON.stringify(json)).toContain("Inner. 2");
  });

  it("NCV1: is the same through a crash at every write", async () => {
    const finder: ConversationFinder = {
      registered: () => undefined,
      read: (name, stored) => conversationFromDefinition({ ...(stored as JsonObject), name }),
    };
    const find = (name: string): JsonValue => (name === "inner" ? INNER : null);
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      inputs: { message: "x" },
      program: conversationFromDefinition(OUTER).program(finder),
      services: {
        storedDefinitions: async (_: string, name: string) => ({
          name,
          definition: find(name) as JsonObject,
          version: 1,
          createdAtMs: 0,
          updatedAtMs: 0,
        }),
      },
    }));
    expect(JSON.stringify(whole.run.output)).toContain("wrapped_group_a_2");
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("NCV2: is refused in a circle, before the first message", async () => {
    const conversations: Record<string, Conversation> = {};
    for (const [name, to] of [
      ["one", "two"],
      ["two", "three"],
      ["three", "two"],
    ] as const)
      conversations[name] = conversationFromDefinition(
        { name, agents: { a: { after_work: { conversation: to } } } },
        { conversations },
      );
    const model = scriptedModel(echoing);
    await expect(conversations["one"]?.kickoff({ message: "x" }, by(model))).rejects.toThrow(
      "conversations lead to each other in a circle: two → three → two",
    );
    expect(model.calls).toEqual([]);
  });
});
