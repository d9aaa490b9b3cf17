import { describe, expect, it } from "vitest";
import { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { flowFromDeclaration } from "../../../src/declarative/index.ts";
import { InMemoryFlowStore } from "../../../src/flow/flow-store.ts";
import { scriptedModel } from "../../../src/llm/scripted/scripted-model.ts";
import { doing, refusals, startDeclared } from "../../support/declared-flow.ts";

const ONE = { call: "expression", expr: "1" };
const flow = (methods: object): JsonObject => ({ name: "F", methods }) as JsonObject;

/** As CrewAI writes flows out: every field, with what means nothing here. */
const FOREIGN = `
schema: crewai.flow/v1
name: ForeignFlow
description: Sorts mail
state:
  type: json_schema
  json_schema:
    type: object
    properties: { mail: { type: string }, tries: { type: integer } }
    required: [mail]
  default: { tries: 0 }
config:
  tracing: true
  stream: false
  memory: null
  suppress_flow_events: false
  max_method_calls: 20
  defer_trace_finalization: false
persist: { enabled: true, verbose: false, persistence: { ref: "my_project:Store" } }
methods:
  read:
    description: null
    start: true
    router: false
    do: { call: expression, expr: state.mail }
    persist: { enabled: false }
  sort:
    listen: { or: [read, again] }
    router: true
    emit: [urgent, later]
    do:
      call: expression
      expr: |
        state.mail.contains("outage")
          ? "urgent" : "later"
  review:
    start: false
    listen: urgent
    router: true
    emit: [ignored]
    do: { call: expression, expr: "'Page ' + outputs.read" }
    human_feedback:
      message: Page?
      emit: [yes, no]
      llm: gpt-4o-mini
      default_outcome: "no"
      metadata: { team_name: ops }
      provider: null
      learn: true
      learn_source: hitl
  done: { listen: "yes", do: { call: expression, expr: outputs.review.output } }
  again: { listen: "no", emit: [read], do: { call: expression, expr: "'again'" } }
`;

describe("a declaration", () => {
  it("in CrewAI's spelling loads unchanged; fields without effect are reported", () => {
    const { definition } = flowFromDeclaration(FOREIGN);
    expect(definition).toMatchObject({
      schema: "crewai.flow/v1",
      name: "ForeignFlow",
      description: "Sorts mail",
      state: { type: "json_schema", default: { tries: 0 } },
      config: { maxMethodCalls: 20 },
      persist: true,
      ignored: ["/config/tracing", "/methods/again/emit"],
    });
    expect(definition.methods).toMatchObject({
      read: { start: true, persist: false, do: { call: "expression", expr: "state.mail" } },
      sort: { listen: { or: ["read", "again"] }, router: true, emit: ["urgent", "later"] },
      again: { listen: "no" },
    });
    expect(definition.methods["review"]).toEqual({
      listen: "urgent",
      do: { call: "expression", expr: "'Page ' + outputs.read" },
      humanFeedback: {
        message: "Page?",
        emit: ["yes", "no"],
        llm: "gpt-4o-mini",
        defaultOutcome: "no",
        metadata: { team_name: "ops" },
        learn: true,
        learnSource: "hitl",
      },
    });
  });

  it("runs on the one engine", async () => {
    const { settle, handle, output } = startDeclared(FOREIGN, {
      inputs: { mail: "an outage" },
      services: { flowStates: new InMemoryFlowStore() },
    });
    expect((await settle()).waits).toMatchObject([
      {
        key: "method:review/feedback",
        prompt: "Page an outage\n\n---\nPage?",
        choices: ["yes", "no"],
      },
    ]);
    await handle.resume({ feedback: "yes" });
    expect(await output()).toMatchObject({ value: "Page an outage", state: { tries: 0 } });
  });

  it("with a conversation takes turns", async () => {
    const text = `
name: desk
conversational: { llm: scripted/model, default_intents: [hours] }
methods:
  opening: { listen: hours, do: { call: expression, expr: "'From 9. You asked: ' + state.lastUserMessage" } }
`;
    const talk = flowFromDeclaration(text);
    expect(talk.definition.conversational).toBe(true);
    const models = () => scriptedModel(() => '{"intent":"hours"}');
    const options = { models, services: { flowStates: new InMemoryFlowStore() }, sessionId: "s" };
    expect(await talk.handleTurn("When do you open?", options)).toMatchObject({
      turn: 1,
      route: "hours",
      reply: "From 9. You asked: When do you open?",
    });
    expect(await talk.handleTurn("And today?", options)).toMatchObject({ turn: 2 });
  });

  it("may be YAML, JSON, JSON with comments, an object, and the definition of a loaded flow", () => {
    const object = doing(ONE);
    const { definition } = flowFromDeclaration(object);
    for (const given of [
      JSON.stringify(object),
      `{ // a comment\n"name": "One", "methods": {"go": {"start": true, "do": {"call": "expression", "expr": "1",}}}}`,
      "name: One\nmethods: { go: { start: true, do: { call: expression, expr: '1' } } }",
      definition,
      JSON.stringify(flowFromDeclaration(definition).definition),
    ])
      expect(flowFromDeclaration(given).definition).toEqual(definition);
    expect(flowFromDeclaration(flowFromDeclaration(FOREIGN).definition).definition).toEqual(
      flowFromDeclaration(FOREIGN).definition,
    );
  });

  it("takes names in camelCase as well", () => {
    const camel = {
      name: "F",
      config: { maxMethodCalls: 3 },
      state: { type: "json_schema", jsonSchema: { type: "object" } },
      methods: {
        a: {
          start: true,
          do: ONE,
          humanFeedback: { message: "?", emit: ["x"], defaultOutcome: "x" },
        },
      },
    };
    const snake = {
      name: "F",
      config: { max_method_calls: 3 },
      state: { type: "json_schema", json_schema: { type: "object" } },
      methods: {
        a: {
          start: true,
          do: ONE,
          human_feedback: { message: "?", emit: ["x"], default_outcome: "x" },
        },
      },
    };
    expect(flowFromDeclaration(snake).definition).toEqual(flowFromDeclaration(camel).definition);
  });
});

describe("errors are reported together, with line and column", () => {
  it("between the fields", () => {
    expect(
      refusals(`schema: crewai.flow/v2
name: F
extra: 1
state: { type: dict, fields: 1 }
config: { max_method_calls: 0 }
methods:
  go:
    start: true
    do: { call: dance }
  pick:
    listen: { nor: [go] }
    do: { call: expression, expr: 1, with: {} }
  ask:
    listen: go
    human_feedback: { emit: [] }
    do:
      call: agent
      with: { role: Clerk, goal: g }
  nothing:
    listen: go
`),
    ).toEqual([
      'flow.yaml:1:1: expected "crewai.flow/v1", got string "crewai.flow/v2"',
      "flow.yaml:4:22: is not a known field",
      "flow.yaml:5:11: expected at least 1, got number 0",
      `flow.yaml:9:11: expected one of 'code' | 'tool' | 'crew' | 'agent' | 'expression' | 'script' | 'each', got string "dance"`,
      "flow.yaml:12:29: expected string, got number 1",
      "flow.yaml:12:38: is not a known field",
      "flow.yaml:11:5: expected array, got nothing",
      "flow.yaml:11:15: is not a known field",
      "flow.yaml:18:7: expected string, got nothing",
      "flow.yaml:18:7: expected string, got nothing",
      "flow.yaml:15:5: expected string, got nothing",
      "flow.yaml:15:23: expected at least 1 items, got array []",
      "flow.yaml:19:3: expected object, got nothing",
      "flow.yaml:3:1: is not a known field",
    ]);
  });

  it("between the methods, in the expressions, and of unregistered names", () => {
    expect(
      refusals(`name: F
methods:
  go:
    start: true
    do:
      call: expression
      expr: foo.bar
  self: { listen: { and: [go, self] }, do: { call: expression, expr: state.x + } }
  unused: { do: { call: code, ref: "my_project:nobody" } }
  tools:
    listen: go
    do:
      call: tool
      ref: crewai_tools:NoTool
      with: { deep: [ "\${nope}" ] }
  crews:
    listen: go
    do: { call: crew, from_declaration: crews/none.jsonc }
  inline:
    listen: go
    do:
      call: crew
      with:
        agents:
          a:
            role: A
            goal: g
            backstory: b
            tools: [missing]
        tasks:
          - { name: t, description: d, expected_output: o, agent: nobody }
  ask:
    listen: go
    do:
      call: agent
      with:
        role: A
        goal: g
        backstory: b
        settings: { max_iter: 0 }
        input: "\${item}"
`),
    ).toEqual([
      expect.stringMatching(/^flow\.yaml:8:3: .* method self listens to itself/),
      expect.stringMatching(/^flow\.yaml:9:3: .* method unused is never triggered/),
      'flow.yaml:7:7: the expression "foo.bar" cannot be used: unknown name "foo", known here: state, outputs, at character 1',
      expect.stringMatching(
        /^flow\.yaml:8:64: the expression "state\.x \+" cannot be used: .*, at character 10$/,
      ),
      'flow.yaml:9:31: unknown function "my_project:nobody"; registered: none',
      'flow.yaml:14:7: unknown tool "NoTool"; registered: none',
      expect.stringMatching(
        /^flow\.yaml:15:23: the expression "nope" cannot be used: unknown name "nope"/,
      ),
      'flow.yaml:18:23: unknown crew "crews/none.jsonc"; registered: none',
      expect.stringMatching(/^flow\.yaml:29:21: unknown tool "missing"; registered: none; pass/),
      expect.stringMatching(/^flow\.yaml:31:60: unknown agent "nobody"; defined: a/),
      "flow.yaml:36:7: expected at least 1, got number 0",
      expect.stringMatching(
        /^flow\.yaml:41:9: the expression "item" cannot be used: unknown name "item"/,
      ),
    ]);
  });

  it("of names without a method or label", () => {
    expect(
      refusals(flow({ a: { start: true, do: ONE }, b: { listen: { or: ["x", "y"] }, do: ONE } })),
    ).toEqual([
      expect.stringMatching(/^\/methods\/b: .* waits for "x"/),
      expect.stringMatching(/^\/methods\/b: .* waits for "y"/),
    ]);
  });

  it.each([
    [
      "no start",
      flow({ a: { listen: "b", do: ONE }, b: { listen: "a", do: ONE } }),
      "has no start",
    ],
    ["no methods", flow({}), "has no start"],
    ["a bad name", flow({ "a b": { start: true, do: ONE } }), "must be named with letters"],
    [
      "a conversation",
      { ...flow({ a: { start: true, do: ONE } }), conversational: 4 },
      "/conversational: ",
    ],
    [
      "no name",
      { methods: { a: { start: true, do: ONE } } },
      "/name: expected string, got nothing",
    ],
    [
      "an empty condition",
      flow({ a: { start: { and: [] }, do: ONE } }),
      "/methods/a/start/and: expected at least 1 items",
    ],
  ])("%s", (_, given, message) => {
    expect(refusals(given).join("\n")).toContain(message);
  });

  const each = (steps: unknown): JsonObject =>
    doing({ call: "each", in: "[1]", do: steps } as JsonObject);
  it.each<[string, unknown, string]>([
    ["no steps", [], "/methods/go/do/do: expected at least 1 items, got array []"],
    ["steps other than a list", { name: "a" }, "/methods/go/do/do: expected array"],
    [
      "an each in it",
      [{ name: "a", action: { call: "each", in: "[1]", do: [] } }],
      "/methods/go/do/do/0/action/call: an each cannot hold another each",
    ],
    [
      "two steps of one name",
      [
        { name: "a", action: ONE },
        { name: "a", action: ONE },
      ],
      '/methods/go/do/do/1/name: expected a name of its own, got "a" again',
    ],
    [
      "an invalid name",
      [{ name: "1a", action: ONE }],
      "/methods/go/do/do/0/name: expected text that matches",
    ],
    [
      "a script",
      [{ name: "a", action: { call: "script", code: "return 1" } }],
      "/methods/go/do/do/0/action: a script is Python",
    ],
    [
      "an unknown field",
      [{ name: "a", action: ONE, unless: "x" }],
      "/methods/go/do/do/0/unless: is not a known field",
    ],
    [
      "a bad condition",
      [{ name: "a", if: "item >", action: ONE }],
      '/methods/go/do/do/0/if: the expression "item >"',
    ],
    ["an item in its list", [{ name: "a", action: ONE }], ""],
  ])("each with %s", (_, steps, message) => {
    const given =
      message === "" ? doing({ call: "each", in: "item", do: steps } as JsonObject) : each(steps);
    expect(refusals(given).join("\n")).toContain(
      message || '/methods/go/do/in: the expression "item" cannot be used: unknown name "item"',
    );
  });

  it("a script is refused, with a replacement in the error", () => {
    expect(refusals(doing({ call: "script", code: "return 1", language: "python" }))).toEqual([
      "/methods/go/do: a script is Python, which a Worker cannot run: write it as an expression, or register a function and have `call: code` name it",
    ]);
  });

  it.each([
    "../crew.yaml",
    "a/../../crew.yaml",
    "/etc/crew.yaml",
    String.raw`..\crew.yaml`,
    "C:/crew.yaml",
    "https://example.com/crew.yaml",
    "~/crew.yaml",
  ])("a crew at %s, which is not within the folder", (path) => {
    expect(refusals(doing({ call: "crew", from_declaration: path }))).toEqual([
      `/methods/go/do/fromDeclaration: expected a path within the folder of the flow, got ${JSON.stringify(path)}`,
    ]);
  });

  it.each([
    [{ call: "crew" }, "got nothing"],
    [{ call: "crew", with: {}, from_declaration: "a" }, "got both"],
  ])("a crew with more or fewer sources than one", (action, got) => {
    expect(refusals(doing(action))[0]).toBe(
      `/methods/go/do: expected exactly one of with, from_declaration, ${got}`,
    );
  });
});

describe("values of other kinds", () => {
  it.each<[string, string, string]>([
    ["an empty file", "", "flow.yaml:1:1: expected a flow, got null"],
    ["a list", "- a", "flow.yaml:1:1: expected a flow, got array"],
    ["a text", "hello", "flow.yaml:1:1: expected a flow, got string"],
    ["broken YAML", "name: [1,\nmethods: }", "flow.yaml:2:"],
    ["broken JSON", '{"name": }', "flow.json:1:10: value expected"],
    ["two documents", "name: a\n---\nname: b", "one document"],
    ["an unknown tag", "name: !!python/object:os.system x", "tag"],
    ["an endless alias", "a: &a [*a]", "alias"],
    [
      "growing aliases",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((key, index) => `${key}: &${key} [${`*${"abcdefg"[index]},`.repeat(10).slice(0, -1)}]`)
        .join("\n")}`,
      "aliases must not add more than",
    ],
    [
      "ten megabytes",
      `name: ${"x".repeat(10_000_000)}`,
      "at most 1048576 characters, got 10000006",
    ],
    ["deep YAML", `a: ${"[".repeat(200_000)}`, "nesting exceeded maxDepth (100)"],
    ["deep JSON", `{"a": ${"[".repeat(200_000)}`, "deep"],
    [
      "deeper than it may be",
      `a: ${"[".repeat(80)}1${"]".repeat(80)}`,
      "at most 64 levels of nesting",
    ],
  ])("%s", (_, text, message) => {
    expect(refusals(text).join("\n")).toContain(message);
  });

  it.each([[null], [3], [[]], [undefined]])("%s", (given) => {
    expect(() => flowFromDeclaration(given as never)).toThrow(EngineError);
  });
});
