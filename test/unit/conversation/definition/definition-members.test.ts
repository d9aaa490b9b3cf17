// Members of conversations that are data, in runs: what their definition says is what happens.
import { describe, expect, it } from "vitest";
import { Agent } from "../../../../src/agent/description/agent.ts";
import { EngineError, type Issue } from "../../../../src/base/error.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import {
  conversationFromDefinition,
  type ConversationRegistry,
} from "../../../../src/conversation/definition/conversation-from-definition.ts";
import type { Conversation } from "../../../../src/conversation/conversation.ts";
import { conversationOptionsFrom } from "../../../../src/conversation/definition/conversation-options-from.ts";
import { readConversationDefinition } from "../../../../src/conversation/definition/definition.ts";
import { knowledgeService } from "../../../../src/knowledge/make-knowledge-service.ts";
import { isFromData } from "../../../../src/llm/definition-rules.ts";
import type { ModelRequest } from "../../../../src/llm/language-model.ts";
import { scriptedModel, type Script } from "../../../../src/llm/scripted/scripted-model.ts";
import { memoryService } from "../../../../src/memory/make-memory-service.ts";
import { allReaders } from "../../../support/all-readers.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { currentTime } from "../../../../src/tools/builtin/builtin-tools.ts";
import { lines } from "../../../support/conversations.ts";
import { calling } from "../../../support/crew-harness.ts";
import { cutAfterEveryWrite } from "../../../support/cut-off.ts";

async function fromYaml(text: string, registry: ConversationRegistry = {}): Promise<Conversation> {
  const body = await allReaders.yaml("body.yaml", text);
  return body.placed(() => conversationFromDefinition(body.value, registry));
}

/** What is wrong with a definition in YAML. */
async function faultsOf(
  text: string,
  registry: ConversationRegistry = {},
): Promise<readonly Issue[]> {
  return fromYaml(text, registry).then(
    () => [],
    (error: unknown) => (EngineError.is(error) ? (error.issues ?? []) : []),
  );
}

const isJudge = ({ responseSchema }: ModelRequest): boolean =>
  Object.hasOwn((responseSchema?.schema["properties"] ?? {}) as JsonObject, "activated");
const judgement = (activated: boolean): string =>
  JSON.stringify({ activated, justification: "It is about money." });

/** Models by their names; all others say "ok". */
function models(scripts: Readonly<Record<string, Script>>) {
  const made = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script)]),
  );
  const other = scriptedModel(() => "ok");
  const find = (spec: unknown) => (typeof spec === "string" && made[spec]) || other;
  return { made, other, models: find as never };
}

describe("guardrails of a stored definition", () => {
  it("stop a message to an agent by a pattern, before a model call", async () => {
    const conversation = await fromYaml(`
agents:
  a:
    llm: p/a
    input_guardrails: [{ name: codes, regex: "\\\\d{4}", to: b, activation_message: No codes. }]
  b: { after_work: terminate }
`);
    const { made, models: find } = models({ "p/a": () => "never" });
    const { messages } = await conversation.kickoff({ message: "It is 1234." }, { models: find });
    expect(lines(messages)).toEqual([
      "user: It is 1234.",
      "a: No codes.\nJustification: a message matches the guardrail's pattern",
      "b: ok",
    ]);
    expect(made["p/a"]?.calls).toHaveLength(0);
  });

  it("replace an agent's message by a model of their own", async () => {
    const conversation = await fromYaml(`
agents:
  a:
    llm: p/a
    output_guardrails:
      - { name: money, prompt: It is about money., llm: p/judge, to: terminate, activation_message: Not that. }
`);
    const { made, models: find } = models({
      "p/a": () => "It costs 5.",
      "p/judge": () => judgement(true),
    });
    const { messages } = await conversation.kickoff({ message: "Price?" }, { models: find });
    expect(lines(messages)).toEqual([
      "user: Price?",
      "a: Not that.\nJustification: It is about money.",
    ]);
    expect(made["p/judge"]?.calls).toHaveLength(1);
    expect(made["p/a"]?.calls.map(({ request }) => isJudge(request))).toEqual([false]);
  });

  it("check all messages with `messages: all`, and else only new ones", async () => {
    const said = async (scope: string) => {
      const conversation = await fromYaml(`
agents:
  a: { after_work: b }
  b:
    after_work: c
    input_guardrails: [{ name: g, regex: SECRET, to: terminate, activation_message: Stop., ${scope} }]
  c: { after_work: { random: [b] } }
max_rounds: 6
`);
      const { messages } = await conversation.kickoff(
        {
          messages: [
            { name: "user", content: "SECRET" },
            { name: "b", content: "Well." },
            { name: "user", content: "Go on." },
          ],
        },
        models({}),
      );
      return lines(messages).some((line) => line.startsWith("b: Stop."));
    };
    expect(await said("messages: all")).toBe(true);
    expect(await said("messages: new")).toBe(false);
  });
});

it("a safeguard policy of a stored definition masks and blocks in its run", async () => {
  const conversation = await fromYaml(`
agents:
  a: { llm: p/a, after_work: b }
  b: { llm: p/b, after_work: c }
  c: { llm: p/c, after_work: terminate }
safeguard_policy:
  inter_agent_safeguards:
    agent_transitions:
      - { message_source: a, message_destination: b, check_method: regex, pattern: "\\\\d{4}", violation_response: mask }
      - { message_source: b, message_destination: c, check_method: llm, custom_prompt: Is it rude?, violation_response: block }
safeguard_llm: p/judge
`);
  const { made, models: find } = models({
    "p/a": () => "The code is 1234.",
    "p/b": () => "Go away.",
    "p/c": ({ messages }) => `c heard ${messages.length}`,
    "p/judge": () => judgement(true),
  });
  await conversation.kickoff({ message: "Code?" }, { models: find });
  const told = (name: string): string => JSON.stringify(made[name]?.calls[0]?.request.messages);
  expect(told("p/b")).not.toContain("1234");
  expect(made["p/judge"]?.calls.length).toBeGreaterThan(0);
  expect(told("p/c")).not.toContain("Go away.");
});

describe("a member of a stored definition", () => {
  it("remembers from one run to the next, with `memory: true`", async () => {
    const memory = memoryService({ embedder: "offline/hash-embed" });
    const conversation = await fromYaml("agents: { a: { llm: p/a, memory: true } }");
    const { made, models: find } = models({
      "p/a": ({ responseSchema }) =>
        responseSchema === undefined
          ? "Noted."
          : JSON.stringify({ memories: ["The pump is loud at night"] }),
    });
    const run = { models: find, services: { memory } };
    await conversation.kickoff({ message: "The pump is loud at night." }, run);
    expect((await memory.records.list({}, { limit: 9 })).items).toMatchObject([
      { content: "The pump is loud at night" },
    ]);
    const before = made["p/a"]?.calls.length ?? 0;
    await conversation.kickoff({ message: "What of the pump at night?" }, run);
    const asked = made["p/a"]?.calls.slice(before).map(({ request }) => request.messages) ?? [];
    expect(JSON.stringify(asked)).toMatch(/remember.*The pump is loud at night/);
  });

  it("has settings of its memory in either spelling", () => {
    const read = (memory: JsonObject) =>
      readConversationDefinition({ agents: { a: { memory } } }).agents["a"]?.memory;
    expect(read({ read_only: true, root_scope: "/desk" })).toEqual(
      read({ readOnly: true, rootScope: "/desk" }),
    );
  });

  it("answers from its knowledge sources", async () => {
    const knowledge = knowledgeService({ embedder: "offline/hash-embed" });
    const conversation = await fromYaml(`
agents:
  a:
    llm: p/a
    knowledge_sources: [{ name: pumps, text: The pump is in the cellar. }]
    knowledge_config: { results_limit: 1, rewrite: false }
`);
    const { made, models: find } = models({ "p/a": () => "In the cellar." });
    await conversation.kickoff(
      { message: "Where is the pump?" },
      { models: find, services: { knowledge } },
    );
    expect(JSON.stringify(made["p/a"]?.calls[0]?.request.messages)).toContain(
      "The pump is in the cellar.",
    );
  });

  it("answers in the form of `response_format`: a JSON Schema, or a name", async () => {
    const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    for (const format of [JSON.stringify(schema), "total"]) {
      const conversation = await fromYaml(
        `agents: { a: { llm: p/a, response_format: ${format} } }`,
        {
          schemas: { total: schema },
        },
      );
      const { made, models: find } = models({ "p/a": () => '{"sum": 3}' });
      const { summary } = await conversation.kickoff({ message: "1+2?" }, { models: find });
      expect(JSON.parse(summary)).toEqual({ sum: 3 });
      expect(made["p/a"]?.calls[0]?.request.responseSchema?.schema).toMatchObject({
        required: ["sum"],
      });
    }
  });

  it("executes its tools in its turn with `max_iter`, up to that number", async () => {
    const conversation = await fromYaml(
      "agents: { a: { llm: p/a, tools: [current_time], max_iter: 2 } }",
      { tools: [currentTime] },
    );
    const { made, models: find } = models({
      "p/a": ({ messages }) =>
        messages.at(-1)?.role === "user" && messages.some(({ role }) => role === "tool")
          ? "It is late."
          : calling("current_time", {}),
    });
    const { messages } = await conversation.kickoff({ message: "When?" }, { models: find });
    expect(lines(messages)).toEqual(["user: When?", "a: It is late."]);
    expect(made["p/a"]?.calls).toHaveLength(3);
  });

  it("waits for its next model call with `max_rpm`", async () => {
    const conversation = await fromYaml(
      "agents: { a: { max_rpm: 1, after_work: b }, b: { after_work: a } }\nmax_rounds: 4",
    );
    const clock = new SimulatedClock();
    const run = conversation.start({ message: "Go" }, { clock, ...models({}) });
    await expect.poll(async () => (await run.status()).waits).toMatchObject([{ kind: "timer" }]);
    await clock.advance(61_000);
    expect((await run.output()).rounds).toBe(4);
  });

  it("streams with `stream`", async () => {
    const conversation = await fromYaml("agents: { a: { llm: p/a, stream: true } }");
    const { models: find } = models({ "p/a": () => "One two" });
    const run = conversation.start({ message: "Go" }, { models: find });
    const types: string[] = [];
    for await (const event of run.events()) types.push(event.type);
    expect(types).toContain("llm_stream_chunk");
  });

  it("has its answer judged with `guardrail`, and by a function of the same name", async () => {
    const conversation = await fromYaml(
      "agents: { a: { llm: p/a, guardrail: short, guardrail_max_retries: 1 } }",
      {
        functions: {
          short: ({ raw }: { raw: string }) => (raw.length < 4 ? [true, raw] : [false, "too long"]),
        },
      },
    );
    let asked = 0;
    const { models: find } = models({ "p/a": () => (asked++ === 0 ? "Too long" : "ok") });
    expect((await conversation.kickoff({ message: "Go" }, { models: find })).summary).toBe("ok");
    expect(asked).toBe(2);
  });

  it("answers `default_auto_reply` without a model", async () => {
    const conversation = await fromYaml(
      "agents: { a: { llm: false, default_auto_reply: I pass. } }",
    );
    const { messages } = await conversation.kickoff({ message: "Go" }, models({}));
    expect(lines(messages)).toEqual(["user: Go", "a: I pass."]);
  });

  it("counts as answering the default after `human_input_timeout`", async () => {
    const conversation = await fromYaml(`
agents:
  ana: { human: true, human_input_timeout: 60, human_input_default: No objection., after_work: terminate }
  a: { after_work: ana }
pattern: { initial_agent: a, kind: default }
`);
    const clock = new SimulatedClock();
    const run = conversation.start({ message: "Go" }, { clock, ...models({}) });
    await expect.poll(async () => (await run.status()).waits).toMatchObject([{ kind: "human" }]);
    await clock.advance(61_000);
    const { messages, humanInput } = await run.output();
    expect(lines(messages).at(-1)).toBe("ana: No objection.");
    expect(humanInput).toEqual(["No objection."]);
  });

  it.each([
    ["agents: { a: { after_work: a } }\ntermination_text: ok", 2],
    ["agents: { a: { after_work: a } }\ntermination_text: { contains: k }", 2],
    ["agents: { a: { after_work: stay } }\ntermination_text: k", 5],
  ])("ends the conversation by its `termination_text`: %s", async (yaml, rounds) => {
    const conversation = await fromYaml(`${yaml}\nmax_rounds: 5`);
    expect((await conversation.kickoff({ message: "Go" }, models({}))).rounds).toBe(rounds);
  });

  it("asks its person at its own `termination_text`", async () => {
    const conversation = await fromYaml(`
agents:
  a: { llm: p/a, after_work: b }
  b: { human_input_mode: TERMINATE, termination_text: { contains: done }, after_work: terminate }
`);
    const { models: find } = models({ "p/a": () => "I am done." });
    const run = conversation.start({ message: "Go" }, { models: find });
    await expect
      .poll(async () => (await run.status()).waits)
      .toMatchObject([{ data: { agent: "b" } }]);
    await run.resume({ feedback: "Not yet." });
    expect(lines((await run.output()).messages).at(-1)).toBe("b: Not yet.");
  });
});

describe("an agent of the app as a member", () => {
  const watcher = () =>
    new Agent({
      role: "Night Watcher",
      goal: "Watch",
      backstory: "You watch.",
      tools: [currentTime],
      llm: "p/watcher",
    });
  const YAML = `
agents:
  guard: { agent: watcher, after_work: b, output_guardrails: [{ name: g, regex: FIRE, to: terminate }] }
  b: {}
`;

  it("CDM2: works with its own model and tools, and the conversation's hand-overs", async () => {
    const agents = { watcher: watcher() };
    const conversation = await fromYaml(YAML, { agents });
    const { made, models: find } = models({
      "p/watcher": ({ messages }) =>
        messages.at(-1)?.role === "tool" ? "All is calm." : calling("current_time", {}),
    });
    const { messages } = await conversation.kickoff({ message: "Well?" }, { models: find });
    expect(lines(messages)).toEqual(["user: Well?", "guard: All is calm.", "b: ok"]);
    expect(JSON.stringify(made["p/watcher"]?.calls[0]?.request.messages)).toContain("You watch.");
    // Two conversations may have the same agent: each has its own hand-overs.
    const other = await fromYaml("agents: { w: { agent: watcher } }", { agents });
    expect(lines((await other.kickoff({ message: "x" }, { models: find })).messages)).toEqual([
      "user: x",
      "w: All is calm.",
    ]);
  });

  it("CDM2: is the same through a crash at every write", async () => {
    const conversation = await fromYaml(YAML, {
      agents: {
        watcher: new Agent({
          role: "Watcher",
          goal: "Watch",
          backstory: "",
          llm: scriptedModel(() => "FIRE"),
        }),
      },
    });
    const { whole, cut } = await cutAfterEveryWrite(() => ({
      program: conversation.program(),
      inputs: { message: "Well?" },
    }));
    expect(whole.run.output).toMatchObject({ lastSpeaker: "guard", rounds: 2 });
    for (const each of cut) expect(each.course).toEqual(whole.course);
  });

  it("CFD2: is an issue when its name is unknown", async () => {
    expect(
      await faultsOf("agents:\n  a: { agent: nobody }\n", { agents: { w: watcher() } }),
    ).toEqual([
      {
        path: "/agents/a/agent",
        message: expect.stringMatching(/^body\.yaml:2:\d+: unknown agent "nobody"; registered: w$/),
      },
    ]);
  });
});

describe("CDM1: refuses, with a line and a column,", () => {
  it.each<[string, string, string, RegExp]>([
    ["no rounds of tools", "max_iter: 0", "maxIter", /at least 1|>=1/],
    ["a stream of text", "stream: fast", "stream", /expected boolean/],
    ["a memory of text", "memory: much", "memory", /expected|invalid/i],
    ["an unknown setting of a memory", "memory: { colour: red }", "memory/colour", /not a known/],
    ["knowledge without a name", "knowledge: ['']", "knowledge/0", /./],
    ["no seconds", "human_input_timeout: 0", "humanInputTimeout", /at least 1|>=1/],
    ["an invalid form", "response_format: { $ref: '#/nowhere' }", "responseFormat", /nowhere/],
    ["an unknown shape", "response_format: fish", "responseFormat", /unknown schema "fish"/],
    ["an empty termination", "termination_text: {}", "terminationText/contains", /./],
    ["a time without a person", "human_input_timeout: 9", "humanInputTimeout", /add `human`/],
    [
      "a default without a time",
      "human_input_default: x",
      "humanInputDefault",
      /add `humanInputTimeout`/,
    ],
    ["a memory without a model", "llm: false, memory: true", "memory", /add `llm`/],
    ["a form of a person", "human: true, response_format: {}", "responseFormat", /add `llm`/],
    ["a model beside an agent", "agent: w, llm: p/x", "llm", /has its own/],
    ["a memory beside an agent", "agent: w, memory: true", "memory", /has its own/],
    [
      "a hand-over by the model of an agent",
      "agent: w, handoffs: [{ to: a, prompt: x }]",
      "handoffs/0/prompt",
      /use `when`/,
    ],
    [
      "a judge of a pattern",
      "input_guardrails: [{ name: g, regex: x, llm: p/x, to: stay }]",
      "inputGuardrails/0/llm",
      /add `prompt`/,
    ],
    [
      "old messages of an answer",
      "output_guardrails: [{ name: g, regex: x, messages: all, to: stay }]",
      "outputGuardrails/0/messages",
      /not a known field/,
    ],
  ])("%s", async (...[, fields, path, message]) => {
    const issues = await faultsOf(`agents:\n  a: { ${fields} }\n`);
    expect(issues).toContainEqual({
      path: `/agents/a/${path}`,
      message: expect.stringMatching(/^body\.yaml:2:\d+: /),
    });
    expect(issues.map((each) => each.message).join("\n")).toMatch(message);
  });
});

it("models in stored data follow the rules for data, in every field", () => {
  const checked = readConversationDefinition({
    agents: {
      a: {
        llm: { model: "p/a" },
        input_guardrails: [{ name: "g", prompt: "x", llm: { model: "p/b" }, to: "stay" }],
      },
    },
    safeguard_policy: {},
    safeguard_llm: { model: "p/c" },
  });
  const { pattern, safeguards } = conversationOptionsFrom(checked, { fromData: true });
  const [a] = pattern?.prepare().group.members ?? [];
  const condition = a?.inputGuardrails[0]?.condition;
  const specs = [a?.llm, condition?.kind === "model" && condition.llm, safeguards?.safeguardLlm];
  expect(specs.map((spec) => typeof spec === "object" && isFromData(spec))).toEqual([
    true,
    true,
    true,
  ]);
});
