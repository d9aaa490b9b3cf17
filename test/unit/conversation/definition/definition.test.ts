import { describe, expect, it } from "vitest";
import { EngineError, type Issue } from "../../../../src/base/error.ts";
import {
  readConversationDefinition,
  type ConversationDefinition,
} from "../../../../src/conversation/definition/definition.ts";
import {
  guardrailsFrom,
  handoffsFrom,
  targetFrom,
} from "../../../../src/conversation/definition/definition-handoffs.ts";
import { contextHandoff, offeredHandoffs } from "../../../../src/conversation/targets/handoffs.ts";
import {
  agentTarget,
  groupChatTarget,
  groupManagerTarget,
  nestedChatTarget,
  randomAgentTarget,
  stayTarget,
} from "../../../../src/conversation/targets/targets.ts";
import { readSafeguardPolicy } from "../../../../src/conversation/safeguards/safeguard-policy.ts";
import { allReaders } from "../../../support/all-readers.ts";

const INCIDENT = `agents:
  triage:
    system_message: You sort incidents.
    llm: openai/gpt-5-mini
    tools: [current_time]
    handoffs:
      - { to: expert, when: "\${severity} == 'high'" }
      - { to: expert, prompt: It needs an expert. }
    after_work: reviewer
  expert: { system_message: You find the cause. }
  reviewer: { system_message: You say what is missing. }
  ana: { human: true }
pattern: { kind: default, initial_agent: triage, group_after_work: terminate }
context_variables: { severity: high, snake_name: 1 }
max_rounds: 20
`;

async function fromYaml(text: string): Promise<ConversationDefinition> {
  const body = await allReaders.yaml("body.yaml", text);
  return body.placed(() => readConversationDefinition(body.value));
}
async function yamlIssues(text: string): Promise<readonly Issue[]> {
  return fromYaml(text).then(
    () => [],
    (error: unknown) => (EngineError.is(error) ? (error.issues ?? []) : []),
  );
}
function issuesOf(input: unknown): readonly Issue[] {
  try {
    readConversationDefinition(input);
    return [];
  } catch (error) {
    return EngineError.is(error) && error.code === "invalid_definition" ? (error.issues ?? []) : [];
  }
}
const two = (rest: object = {}): object => ({ agents: { a: {}, b: {} }, ...rest });

it("reads the example in YAML", async () => {
  const definition = await fromYaml(INCIDENT);
  expect(definition).toMatchObject({
    pattern: {
      kind: "default",
      initialAgent: "triage",
      userAgent: "ana",
      groupAfterWork: "terminate",
    },
    contextVariables: { severity: "high", snake_name: 1 },
    maxRounds: 20,
    agents: {
      triage: { systemMessage: "You sort incidents.", afterWork: "reviewer" },
      ana: { human: true },
    },
  });
  const handoffs = handoffsFrom(definition.agents["triage"]!);
  expect(contextHandoff(handoffs, definition.contextVariables)?.target).toEqual(
    agentTarget("expert"),
  );
  expect(offeredHandoffs(handoffs, {})).toEqual([
    {
      toolName: "transfer_to_expert_1",
      prompt: "It needs an expert.",
      target: agentTarget("expert"),
    },
  ]);
  expect(handoffs.afterWorks[0]?.target).toEqual(agentTarget("reviewer"));
});

it("reads camelCase as snake_case, agents as a list, and its own output", async () => {
  const definition = await fromYaml(INCIDENT);
  expect(readConversationDefinition(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  const list = {
    agents: [
      { name: "a", systemMessage: "x" },
      { name: "b", system_message: "x" },
    ],
    pattern: "round_robin",
    max_round: 3,
  };
  expect(readConversationDefinition(list)).toEqual({
    agents: { a: { systemMessage: "x" }, b: { systemMessage: "x" } },
    pattern: { kind: "round_robin", initialAgent: "a" },
    contextVariables: {},
    maxRounds: 3,
  });
  expect(readConversationDefinition({ agents: { a: null } })).toMatchObject({
    pattern: { kind: "default", initialAgent: "a" },
    maxRounds: 20,
  });
});

describe("CDF1: faults", () => {
  it.each<[string, object, string, RegExp]>([
    [
      "an unknown speaker",
      two({ pattern: { kind: "auto", initial_agent: "z" } }),
      "/pattern/initialAgent",
      /an agent of this conversation \(a, b\), got "z"/,
    ],
    [
      "two agents of one name",
      { agents: [{ name: "a" }, { name: "a" }] },
      "/agents/1/name",
      /a name of its own, got "a" again/,
    ],
    ["an agent without a name", { agents: [{}] }, "/agents/0/name", /expected the name/],
    [
      "a hand-over without a target",
      { agents: { a: { handoffs: [{ to: "z", prompt: "x" }] } } },
      "/agents/a/handoffs/0/to",
      /got "z"/,
    ],
    [
      "a hand-over by chance without candidates",
      { agents: { a: { after_work: { random: ["a", "z"] } } } },
      "/agents/a/afterWork/random/1",
      /got "z"/,
    ],
    [
      "a nested chat without a recipient",
      { agents: { a: { after_work: { nested: [{ recipient: "z", max_turns: 1 }] } } } },
      "/agents/a/afterWork/nested/0/recipient",
      /got "z"/,
    ],
    [
      "an expression",
      { agents: { a: { handoffs: [{ to: "a", when: "${x} = 1" }] } } },
      "/agents/a/handoffs/0/when",
      /^column 6: "=" is no comparison/,
    ],
    [
      "an availability",
      { agents: { a: { handoffs: [{ to: "a", prompt: "x", available: "${x} +" }] } } },
      "/agents/a/handoffs/0/available",
      /^column 6/,
    ],
    [
      "both ways to hand over",
      { agents: { a: { handoffs: [{ to: "a", when: "x", prompt: "y" }] } } },
      "/agents/a/handoffs/0",
      /got both/,
    ],
    [
      "a tool name without a model",
      { agents: { a: { handoffs: [{ to: "a", when: "x", tool_name: "y" }] } } },
      "/agents/a/handoffs/0/toolName",
      /add `prompt`/,
    ],
    [
      "an after-work behind one without condition",
      { agents: { a: { after_work: [{ to: "a" }, { to: "stay", when: "x" }] } } },
      "/agents/a/afterWork/1",
      /never reached/,
    ],
    [
      "a missing user",
      two({ pattern: { kind: "default", group_after_work: "revert_to_user" } }),
      "/pattern/groupAfterWork",
      /needs a user agent/,
    ],
    [
      "variables outside JSON",
      two({ context_variables: { a: { b: Number.NaN } } }),
      "/contextVariables/a/b",
      /got NaN/,
    ],
    [
      "variables other than an object",
      two({ context_variables: [1] }),
      "/contextVariables",
      /got array/,
    ],
    [
      "a pattern and a graph",
      two({ pattern: "auto", graph: { initial_speaker: "a" } }),
      "/graph",
      /got both/,
    ],
    [
      "a graph without an end",
      two({ graph: { initial_speaker: "a", default_target: "round_robin" } }),
      "/graph",
      /has no end/,
    ],
    [
      "a graph with a stranger",
      two({ graph: { initial_speaker: "z" } }),
      "/graph/initialSpeaker",
      /got "z"/,
    ],
    [
      "hand-overs beside a graph",
      { agents: { a: { after_work: "stay" } }, graph: { initial_speaker: "a" } },
      "/agents/a/afterWork",
      /beside `graph`/,
    ],
    [
      "a pattern of text",
      { agents: { a: { input_guardrails: [{ name: "g", regex: "(", to: "stay" }] } } },
      "/agents/a/inputGuardrails/0/regex",
      /regular expression/,
    ],
    [
      "a guardrail without a condition",
      { agents: { a: { output_guardrails: [{ name: "g", to: "stay" }] } } },
      "/agents/a/outputGuardrails/0",
      /got neither/,
    ],
    ["no agents", { agents: {} }, "/agents", /at least one agent/],
    ["agents other than a mapping", { agents: "a" }, "/agents", /expected object/],
    ["an unknown field", two({ agent: {} }), "/agent", /is not a known field/],
    [
      "an unknown field of an agent",
      { agents: { a: { goal: "x" } } },
      "/agents/a/goal",
      /is not a known field/,
    ],
    ["no rounds", two({ max_rounds: 0 }), "/maxRounds", /at least 1/],
    ["an unknown pattern", two({ pattern: "chaos" }), "/pattern/kind", /one of "default", "auto"/],
    [
      "an unknown target",
      { agents: { a: { after_work: { teleport: 1 } } } },
      "/agents/a/afterWork/teleport",
      /is not a known field/,
    ],
    [
      "an ambiguous target",
      { agents: { a: { after_work: { random: ["a"], manager: "x" } } } },
      "/agents/a/afterWork",
      /expected one of random, manager, nested, conversation/,
    ],
    [
      "a human with a mode",
      { agents: { a: { human: true, human_input_mode: "NEVER" } } },
      "/agents/a/humanInputMode",
      /leave it out/,
    ],
  ])("%s", (...[, input, path, message]) => {
    expect(issuesOf(input)).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  it("a circular value", () => {
    const circle: Record<string, unknown> = {};
    circle["agents"] = circle;
    expect(issuesOf(circle)).toEqual([
      { path: "", message: "expected at most 64 levels of nesting, got more" },
    ]);
    expect(() => readSafeguardPolicy(circle, {} as never)).toThrow(/at most 64 levels/);
  });

  it.each([null, [], "text", 3])("%j, which is not a conversation", (input) => {
    expect(() => readConversationDefinition(input)).toThrow(/expected a conversation, got/);
  });

  it("all of it at once", () => {
    const agents = { a: { handoffs: [{ to: "y", when: "${" }], after_work: "z" } };
    expect(
      issuesOf({ agents, pattern: { kind: "auto", initial_agent: "x" } }).map(({ path }) => path),
    ).toEqual([
      "/agents/a/handoffs/0/to",
      "/agents/a/handoffs/0/when",
      "/agents/a/afterWork",
      "/pattern/initialAgent",
    ]);
  });

  it("in the safeguards too", () => {
    const rule = {
      message_source: "a",
      message_destination: "z",
      check_method: "llm",
      custom_prompt: "x",
      action: "block",
    };
    const safeguard_policy = { inter_agent_safeguards: { agent_transitions: [rule] } };
    const path = "/safeguardPolicy/interAgentSafeguards/agentTransitions/0";
    expect(issuesOf(two({ safeguard_policy })).map((issue) => issue.path)).toEqual([
      `${path}/checkMethod`,
      `${path}/messageDestination`,
    ]);
    const fine = {
      inter_agent_safeguards: { agent_transitions: [{ ...rule, message_destination: "b" }] },
    };
    expect(issuesOf(two({ safeguard_policy: fine, safeguard_llm: "openai/gpt-5-mini" }))).toEqual(
      [],
    );
  });

  it("but not a graph with a limit", () => {
    const graph = { initial_speaker: "a", default_target: "round_robin" };
    expect(issuesOf(two({ graph, max_rounds: 5 }))).toEqual([]);
    expect(
      readConversationDefinition(two({ graph: { ...graph, max_turns: 3 } })),
    ).not.toHaveProperty("pattern");
  });
});

describe("CDF2: an issue", () => {
  it("has its line and column in YAML", async () => {
    const messages = async (was: string, is: string) =>
      (await yamlIssues(INCIDENT.replace(was, is))).map(({ message }) => message);
    expect(await messages("== 'high'", "= 'high'")).toEqual([
      expect.stringMatching(/^body\.yaml:7:\d+: column 13: "=" is no comparison/),
    ]);
    expect(await messages("after_work: reviewer", "after_work: nobody")).toEqual([
      expect.stringMatching(/^body\.yaml:9:5: expected an agent of this conversation/),
    ]);
  });

  it("of a list of agents has the place in the list", () => {
    const agents = [{ name: "a" }, { name: "b", after_work: "z" }];
    expect(issuesOf({ agents }).map(({ path }) => path)).toEqual(["/agents/1/afterWork"]);
  });
});

describe("CDF3: names of agents", () => {
  it.each(["stay", "terminate", "manager", "_Group_Tool_Executor"])("are not %s", (name) => {
    expect(issuesOf({ agents: { [name]: {} } })).toContainEqual({
      path: `/agents/${name}`,
      message: expect.stringContaining("a meaning of its own"),
    });
  });

  it("do not inherit from JavaScript's objects", () => {
    expect(issuesOf(JSON.parse('{ "agents": { "__proto__": {}, "a": {} } }'))[0]?.path).toBe(
      "/agents/__proto__",
    );
    expect(issuesOf({ agents: { constructor: { after_work: "toString" } } })[0]?.path).toBe(
      "/agents/constructor/afterWork",
    );
    expect(issuesOf({ agents: { "a/b ": {} } })[0]?.path).toBe("/agents/a~1b ");
    expect(issuesOf({ agents: { "Ана Б": { after_work: "Ана Б" } } })).toEqual([]);
  });
});

it("makes targets and guardrails from checked data", () => {
  expect(targetFrom("stay")).toEqual(stayTarget());
  expect(targetFrom({ random: ["a"] })).toEqual(randomAgentTarget(["a"]));
  expect(targetFrom({ manager: "Who?" })).toEqual(groupManagerTarget("Who?"));
  expect(targetFrom({ nested: [{ recipient: "a", message: undefined }] })).toEqual(
    nestedChatTarget([{ recipient: "a" }]),
  );
  expect(targetFrom({ conversation: "panel", maxRounds: 3 })).toEqual(
    groupChatTarget({ name: "panel" }, { maxRounds: 3 }),
  );
  expect(targetFrom({ conversation: "panel" })).toMatchObject({ maxRounds: 20 });
  const guardrails = guardrailsFrom([
    { name: "g", regex: "x", to: "a", activationMessage: "No." },
    { name: "h", prompt: "Is it rude?", to: "terminate" },
  ]);
  expect(guardrails.map(({ condition }) => condition.kind)).toEqual(["regex", "model"]);
  const several = handoffsFrom({
    afterWork: [{ to: "a", when: "x", available: "${y}" }, { to: "stay" }],
    handoffs: [{ to: "b" }],
  });
  expect(several.afterWorks).toHaveLength(2);
  expect(contextHandoff(several, {})?.target).toEqual(agentTarget("b"));
});
