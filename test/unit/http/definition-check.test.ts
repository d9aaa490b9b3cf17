import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Graph } from "../../../src/wire/graph.ts";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { ConversationWorld } from "../../support/conversation-world.ts";
import type { AskOptions, HttpWorld } from "../../support/http-app.ts";
import { definitionCheckShape } from "../../../src/parts/definition-shapes.ts";

const yaml = (method: string, body: string): AskOptions => ({
  method,
  body,
  headers: { "content-type": "application/yaml" },
});

const AGENT = "writer: { role: Writer, goal: Write, backstory: Short. }";
const TASK = "draft: { description: Write, expected_output: A page, agent: writer }";
const crew = (agents: string, tasks: string, rest = ""): string =>
  `agents:\n  ${agents}\ntasks:\n  ${tasks}\n${rest}`;
const agent = (fields: string): string =>
  crew(`writer: { role: Writer, goal: Write, backstory: Short., ${fields} }`, TASK);
const task = (fields: string): string =>
  crew(AGENT, `draft: { description: Write, expected_output: A page, agent: writer, ${fields} }`);
const flow = (methods: string): string => `name: F\nmethods:\n  ${methods}\n`;

const BROKEN: ReadonlyArray<readonly [kind: string, body: string]> = [
  ["crews", crew("writer: { goal: Write, backstory: Short. }", TASK)],
  ["crews", crew("writer: { role: 3, goal: Write, backstory: Short. }", TASK)],
  ["crews", agent("tools: [nope]")],
  ["crews", agent("maxIter: many")],
  ["crews", agent("max_iter: 0")],
  ["crews", agent("nope: 1")],
  ["crews", agent("llm: 7")],
  ["crews", agent("allow_delegation: maybe")],
  ["crews", task("context: [other]")],
  ["crews", task("async_execution: sometimes")],
  ["crews", task("guardrail_max_retries: -1")],
  ["crews", task("human_input: 5")],
  ["crews", task("nope: true")],
  ["crews", task("output: nope")],
  ["crews", crew(AGENT, "draft: { description: Write, expected_output: A page, agent: other }")],
  ["crews", crew(AGENT, "draft: { description: Write, agent: writer }")],
  ["crews", crew(AGENT, TASK, "process: sideways\n")],
  ["crews", crew(AGENT, TASK, "process: hierarchical\n")],
  ["crews", crew(AGENT, TASK, "inputSchema: { type: string }\n")],
  ["crews", crew(AGENT, TASK, "name: other\n")],
  ["crews", crew(AGENT, TASK, "agents: {}\n")],
  ["crews", "agents:\n  - a\n b: c\n"],
  ["crews", ""],
  ["flows", flow("hello: { start: true }")],
  ["flows", flow('hello: { start: true, do: { call: expression, expr: "1 +" } }')],
  ["flows", flow("hello: { start: true, do: { call: nothing } }")],
  ["flows", flow("hello: { listen: nobody, do: { call: expression, expr: '1' } }")],
  ["conversations", "agents:\n  one: { systemMessage: 5 }\n"],
  ["conversations", "agents:\n  one: { systemMessage: Hi, handoffs: [{ to: nobody }] }\n"],
  ["conversations", "agents: []\n"],
];

const world = (): HttpWorld => new ConversationWorld({ declarativeFlows: declarativeFlows() });
type Fault = { path: string; message: string; line?: number; column?: number };

describe("checking a definition without storing it", () => {
  it.each(BROKEN)("DCK2: of %s %j, the faults are those of PUT (CA24)", async (kind, body) => {
    const app = world();
    const refused = await app.ask(`/${kind}/notes`, yaml("PUT", body));
    expect(refused.status).toBe(400);
    const checked = await app.ask(`/${kind}/check?name=notes`, yaml("POST", body));
    expect(checked).toMatchObject({ status: 200, json: { ok: false, inputs: [] } });
    const faults = checked.json["errors"] as unknown as Fault[];
    const written = faults.map(({ path, message, line, column }) => [
      path,
      line === undefined || message.includes(` at line ${line}`)
        ? message
        : `body.yaml:${line}:${column}: ${message}`,
    ]);
    const { errors = [], detail } = refused.json as unknown as {
      errors?: Fault[];
      detail: string;
    };
    expect(written).toEqual(
      errors.length === 0 ? [["", detail]] : errors.map(({ path, message }) => [path, message]),
    );
    expect((await app.ask(`/${kind}/notes/versions`)).status).toBe(404);
  });

  it("DCK2: faults of YAML have line and column (CA24)", async () => {
    const app = world();
    for (const [kind, body, line, column] of [
      ["crews", agent("tools: [nope]"), 2, 67],
      ["crews", "agents:\n  - a\n b: c\n", 3, 2],
      ["flows", flow("hello: { start: true, do: { call: nothing } }"), 3, undefined],
    ] as const) {
      const { json } = await app.ask(`/${kind}/check`, yaml("POST", body));
      const [fault] = json["errors"] as unknown as Fault[];
      expect(fault).toMatchObject(column === undefined ? { line } : { line, column });
      expect(fault?.message).not.toContain("body.yaml");
    }
  });

  it("DCK1: a usable definition is ok, with its inputs and its ignored fields; it is not stored (CA24)", async () => {
    const app = world();
    const body = crew(
      "writer: { role: Writer, goal: On {topic}, backstory: Short., type: x }".replace(
        "On {topic}",
        '"On {topic}"',
      ),
      TASK,
    );
    const { status, json } = await app.ask("/crews/check", yaml("POST", body));
    expect(status).toBe(200);
    expect(json).toMatchObject({ ok: true, errors: [], inputs: ["topic"] });
    const ignored = json["ignored"] as unknown as Fault[];
    expect(ignored.map(({ path }) => path)).toContain("/agents/writer/type");
    const { items } = (await app.ask("/crews")).json as unknown as { items: JsonObject[] };
    expect(items.filter(({ source }) => source === "stored")).toEqual([]);
  });

  it.each([
    ["crews", crew(AGENT, TASK), ["draft"]],
    ["flows", flow("hello: { start: true, do: { call: expression, expr: '1' } }"), ["hello"]],
    ["conversations", "agents:\n  one: { systemMessage: Hi }\n", ["one"]],
  ])(
    "a usable definition of %s comes with its graph and places (CA24)",
    async (kind, body, labels) => {
      const app = world();
      const { json } = await app.ask(`/${kind}/check?name=sketch`, yaml("POST", body));
      expect(definitionCheckShape.schema().safeParse(json).error).toBeUndefined();
      const graph = json["graph"] as unknown as Graph;
      expect([graph.name, graph.size?.width]).toEqual(["sketch", expect.any(Number)]);
      expect(graph.nodes.map(({ label }) => label)).toEqual(expect.arrayContaining(labels));
      await app.ask(`/${kind}/sketch`, yaml("PUT", body));
      expect((await app.ask(`/${kind}/sketch/graph`)).json).toEqual(graph);
      const { json: broken } = await app.ask(`/${kind}/check`, yaml("POST", "agents: 7\n"));
      expect(broken).not.toHaveProperty("graph");
    },
  );

  it("a body with a JSON error gets its line and column", async () => {
    const { status, json } = await world().ask("/crews/check", {
      method: "POST",
      body: '{\n  "agents": }',
      headers: { "content-type": "application/json" },
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({ ok: false, errors: [{ path: "", line: 2, column: 13 }] });
  });

  it("a crew of the code's name is refused, as is a body of another type", async () => {
    const app = world();
    const taken = await app.ask("/crews/check?name=greeting", yaml("POST", crew(AGENT, TASK)));
    expect(taken.status).toBe(409);
    const text = { method: "POST", body: "x", headers: { "content-type": "text/plain" } };
    expect((await app.ask("/crews/check", text)).status).toBe(415);
  });
});
