import { describe, expect, it } from "vitest";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { HttpWorld, textOf, type AskOptions } from "../../support/http-app.ts";

const DECLARATION = {
  schema: "crewai.flow/v1",
  name: "Triage",
  description: "Sorts mail",
  state: { type: "json_schema", json_schema: { properties: { mail: { type: "string" } } } },
  methods: {
    sort: {
      start: true,
      router: true,
      emit: ["urgent", "later"],
      do: { call: "expression", expr: "state.mail.contains('outage') ? 'urgent' : 'later'" },
    },
    greet: { listen: "later", do: { call: "crew", from_declaration: "greeting" } },
    page: {
      listen: "urgent",
      human_feedback: { message: "Page?", emit: ["yes", "no"], llm: { model: "secret" } },
      do: { call: "expression", expr: "'Page: ' + state.mail" },
    },
    end: { listen: "yes", do: { call: "expression", expr: "outputs.page.output + '!'" } },
    drop: { listen: "no", do: { call: "expression", expr: "null" } },
  },
};

const YAML = `
name: Hello
methods:
  hello:
    start: true
    do: { call: expression, expr: "'hello ' + state.who" }
`;

const scripted = {
  name: "s",
  methods: { a: { start: true, do: { call: "script", code: "1" } } },
};

const put = (json: unknown): AskOptions => ({ method: "PUT", json });
const yaml = (body: string): AskOptions => ({
  method: "PUT",
  body,
  headers: { "content-type": "application/yaml" },
});
const world = (options: ConstructorParameters<typeof HttpWorld>[0] = {}): HttpWorld =>
  new HttpWorld({ declarativeFlows: declarativeFlows(), ...options });

describe("PUT /flows/:name", () => {
  it("is 201 for a new flow and 200 for a replaced one, and shows it", async () => {
    const app = world();
    const created = await app.ask("/flows/triage", put(DECLARATION));
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe("/flows/triage");
    expect(created.json).toMatchObject({
      name: "triage",
      source: "stored",
      description: "Sorts mail",
      definition: { name: "Triage", methods: { sort: { do: { call: "expression" } } } },
    });
    expect(created.json["methods"]).toEqual({
      sort: { start: true, router: true, emit: ["urgent", "later"] },
      greet: { listen: "later" },
      page: { listen: "urgent", humanFeedback: { message: "Page?", emit: ["yes", "no"] } },
      end: { listen: "yes" },
      drop: { listen: "no" },
    });
    expect((await app.ask("/flows/triage", put(DECLARATION))).status).toBe(200);
    expect((await app.ask("/flows/triage")).json).toEqual(created.json);
  });

  it("takes YAML, a flow without a name, and the files of a project", async () => {
    const app = world();
    expect((await app.ask("/flows/hello", yaml(YAML))).status).toBe(201);
    const { name: _, ...nameless } = DECLARATION;
    const stored = await app.ask("/flows/nameless", put(nameless));
    expect(stored.json["definition"]?.["name"]).toBe("nameless");
    const crew = {
      agents: { a: { role: "A", goal: "g", backstory: "b" } },
      tasks: [{ name: "t", description: "Do it", expected_output: "o", agent: "a" }],
    };
    const files = {
      "flow.yaml":
        "name: P\nmethods: { go: { start: true, do: { call: crew, from_declaration: crews/c.jsonc } } }",
      "crews/c.jsonc": JSON.stringify(crew),
    };
    const project = await app.ask("/flows/project", put({ files }));
    expect(project.status).toBe(201);
    expect(project.json["definition"]).toMatchObject({
      methods: { go: { do: { call: "crew", with: { agents: { a: { role: "A" } } } } } },
    });
    const started = await app.ask("/flows/project/kickoff", { json: { id: "p-1" } });
    expect(started.status).toBe(202);
    await app.clock.settle();
    expect((await app.ask("/runs/p-1")).json).toMatchObject({
      status: "completed",
      output: { value: { raw: "A fine answer" } },
    });
  });

  it("lists all faults, for YAML with line and column, and stores nothing", async () => {
    const app = world();
    const wrong = `${YAML}  other:\n    listen: nobody\n    do: { call: tool, ref: none, with: { a: "\${foo}" } }\n`;
    const { status, json } = await app.ask("/flows/hello", yaml(wrong));
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([
      {
        path: "/methods/other",
        message: expect.stringContaining(
          'body.yaml:7:3: flow "Hello": method other waits for "nobody"',
        ),
      },
      {
        path: "/methods/other/do/ref/0",
        message: 'body.yaml:9:23: unknown tool "none"; registered: ask',
      },
      {
        path: "/methods/other/do/with/a",
        message: expect.stringContaining('body.yaml:9:42: the expression "foo" cannot be used'),
      },
    ]);
    expect((await app.ask("/flows/hello")).status).toBe(404);
  });

  it.each<[number, string, string, AskOptions]>([
    [409, "a name of the code's", "/flows/review", put(DECLARATION)],
    [400, "a name that is none", "/flows/-", put(DECLARATION)],
    [400, "no flow", "/flows/x", put([])],
    [400, "broken YAML", "/flows/x", yaml("a: [b")],
    [415, "another type", "/flows/x", { ...yaml("a"), headers: { "content-type": "text/html" } }],
    [413, "ten megabytes", "/flows/x", yaml("x".repeat(10_000_000))],
    [400, "deep nesting", "/flows/x", yaml(`a: ${"[".repeat(100_000)}`)],
    [400, "a script", "/flows/x", put(scripted)],
    [400, "files without a flow", "/flows/x", put({ files: { "crew.jsonc": "{}" } })],
  ])("answers %i to %s", async (...[status, , path, options]) => {
    const app = world();
    const answer = await app.ask(path, options);
    expect(answer.json["detail"]).toBeTypeOf("string");
    expect(answer.status).toBe(status);
    expect(app.reported).toEqual([]);
  });

  it("names the missing option in an app without declarative flows", async () => {
    const app = new HttpWorld();
    const { status, json } = await app.ask("/flows/triage", put(DECLARATION));
    expect(status).toBe(409);
    expect(json["detail"]).toContain("pass `declarativeFlows: declarativeFlows()`");
  });
});

describe("a stored flow", () => {
  it("runs as it was when the run began, and is gone when it is deleted", async () => {
    const app = world();
    await app.ask("/flows/triage", put(DECLARATION));
    const json = { id: "t-1", inputs: { mail: "an outage" } };
    expect((await app.ask("/flows/triage/kickoff", { json })).status).toBe(202);
    await app.clock.settle();
    expect((await app.ask("/waits")).json["items"]).toMatchObject([
      { key: "method:page/feedback", run: { kind: "flow", name: "triage" } },
    ]);
    await app.ask(
      "/flows/triage",
      put({
        ...DECLARATION,
        methods: { only: { start: true, do: { call: "expression", expr: "1" } } },
      }),
    );
    expect((await app.ask("/flows/triage", { method: "DELETE" })).status).toBe(204);
    expect((await app.ask("/flows/triage", { method: "DELETE" })).status).toBe(404);
    expect((await app.ask("/flows/triage/kickoff", { json: {} })).status).toBe(404);
    await app.ask("/runs/t-1/resume", { json: { feedback: "yes" } });
    await app.clock.settle();
    expect((await app.ask("/runs/t-1")).json).toMatchObject({
      status: "completed",
      output: { value: "Page: an outage!", state: { mail: "an outage" } },
    });
  });

  it("kicks off crews of the app, and refuses inputs that do not fit its state", async () => {
    const app = world();
    await app.ask("/flows/triage", put(DECLARATION));
    const bad = await app.ask("/flows/triage/kickoff", { json: { inputs: { mail: 4 } } });
    expect(bad.status).toBe(400);
    expect(bad.text).toContain("/mail: expected string, got number 4");
    await app.ask("/flows/triage/kickoff", { json: { id: "t-2", inputs: { mail: "hi" } } });
    await app.clock.settle();
    expect((await app.ask("/runs/t-2")).json).toMatchObject({
      output: { value: { raw: "A fine answer" } },
    });
  });

  it("belongs to its tenant alone", async () => {
    const app = world({ auth: { mode: "keys", adminKey: "root" } });
    const keyOf = async (tenant: string): Promise<string> => {
      const json = { tenant, scopes: ["admin", "read", "run"] };
      return textOf((await app.ask("/keys", { key: "root", json })).json["key"]);
    };
    const [one, two] = [await keyOf("one"), await keyOf("two")];
    expect((await app.ask("/flows/triage", { ...put(DECLARATION), key: one })).status).toBe(201);
    expect((await app.ask("/flows/triage", { key: one })).status).toBe(200);
    expect((await app.ask("/flows/triage", { key: two })).status).toBe(404);
    expect((await app.ask("/flows", { key: two })).text).not.toContain("triage");
  });

  it("is listed after the code's flows, page by page; an invalid one carries its error", async () => {
    const before = world();
    await before.ask("/flows/triage", put(DECLARATION));
    await before.ask("/flows/hello", yaml(YAML));
    const app = world({ definitions: before.definitions, crews: {} });
    const names: string[] = [];
    for (let cursor = ""; ;) {
      const { json } = await app.ask(`/flows?limit=1${cursor}`);
      names.push(textOf(json["items"]?.[0]?.["name"]));
      if (json["nextCursor"] === undefined) break;
      cursor = `&cursor=${textOf(json["nextCursor"])}`;
    }
    expect(names).toEqual(["review", "hello", "triage"]);
    expect((await app.ask("/flows/triage")).json).toMatchObject({
      source: "stored",
      error: {
        code: "invalid_definition",
        message: expect.stringContaining('unknown crew "greeting"'),
      },
      definition: { name: "Triage" },
    });
    expect(
      (await app.ask("/flows/triage/kickoff", { json: { inputs: { mail: "a" } } })).status,
    ).toBe(400);
  });
});
