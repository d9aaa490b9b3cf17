import { describe, expect, it } from "vitest";
import { HttpWorld, type AskOptions, textOf } from "../../support/http-app.ts";

const DEFINITION = {
  agents: {
    writer: { role: "Writer", goal: "Write about {topic}", backstory: "Short.", tools: ["ask"] },
  },
  tasks: [
    {
      name: "draft",
      description: "Write about {topic}",
      expected_output: "A page",
      agent: "writer",
    },
  ],
};

const YAML = `
agents:
  writer:
    role: Writer
    goal: Write about {topic}
    backstory: Short.
    llm: openai/gpt-5-mini
tasks:
  draft:
    description: >
      Write about {topic}
    expected_output: A page
    agent: writer
`;

const put = (json: unknown): AskOptions => ({ method: "PUT", json });
const putYaml = (body: string, type = "application/yaml"): AskOptions => ({
  method: "PUT",
  body,
  headers: { "content-type": type },
});

describe("PUT /crews/:name", () => {
  it("is 201 for a new crew and 200 for a replaced one", async () => {
    const world = new HttpWorld();
    const created = await world.ask("/crews/notes", put(DEFINITION));
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe("/crews/notes");
    expect(created.json).toEqual({
      name: "notes",
      source: "stored",
      process: "sequential",
      version: 1,
      agents: [
        {
          role: "Writer",
          goal: "Write about {topic}",
          backstory: "Short.",
          tools: [{ name: "ask", description: "Ask a person." }],
          memory: false,
          knowledge: false,
          plans: false,
          delegates: false,
        },
      ],
      tasks: [
        {
          name: "draft",
          description: "Write about {topic}",
          agent: "Writer",
          expectedOutput: "A page",
          async: false,
          humanInput: false,
          guardrails: 0,
        },
      ],
      inputs: ["topic"],
      inputSchema: { type: "object", properties: { topic: {} }, required: ["topic"] },
      definition: {
        name: "notes",
        agents: DEFINITION.agents,
        tasks: [
          {
            name: "draft",
            description: "Write about {topic}",
            expectedOutput: "A page",
            agent: "writer",
          },
        ],
      },
    });
    expect(
      (await world.ask("/crews/notes", put({ ...DEFINITION, inputs: { topic: "tea" } }))).status,
    ).toBe(200);
    expect((await world.ask("/crews/notes")).json["inputs"]).toEqual([]);
  });

  it("shows the manager of a hierarchical crew as its tasks' agent", async () => {
    const { json } = await new HttpWorld().ask(
      "/crews/notes",
      put({ ...DEFINITION, process: "hierarchical", manager_llm: "offline/demo" }),
    );
    expect(json).toMatchObject({
      process: "hierarchical",
      agents: [{ role: "Writer" }],
      tasks: [{ name: "draft", agent: "Crew Manager" }],
    });
  });

  it("stores a crew for immediate runs", async () => {
    const world = new HttpWorld();
    await world.ask("/crews/notes", put(DEFINITION));
    const id = await world.kickoff("notes", { inputs: { topic: "tea" } });
    expect((await world.ask(`/runs/${id}`)).json).toMatchObject({
      status: "completed",
      name: "notes",
      tasks: [{ name: "draft", status: "completed" }],
    });
  });

  it.each(["application/yaml", "text/yaml", "application/x-yaml; charset=utf-8"])(
    "takes YAML as %s",
    async (type) => {
      const world = new HttpWorld();
      expect((await world.ask("/crews/notes", putYaml(YAML, type))).status).toBe(201);
      const id = await world.kickoff("notes", { inputs: { topic: "tea" } });
      expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("completed");
    },
  );

  it("takes YAML with anchors and merge keys", async () => {
    const text = `${YAML}  review:\n    <<: &more { expected_output: Remarks, agent: writer }\n    description: Review it\n`;
    const { status, json } = await new HttpWorld().ask("/crews/notes", putYaml(text));
    expect(status).toBe(201);
    expect(json["definition"]?.["tasks"]?.[1]).toMatchObject({
      name: "review",
      expectedOutput: "Remarks",
    });
  });

  it("names the place of a YAML error", async () => {
    const { status, json } = await new HttpWorld().ask(
      "/crews/notes",
      putYaml("agents:\n  - a\n tasks: [1,"),
    );
    expect(status).toBe(400);
    expect(json["detail"]).toBe(
      "the request body is not YAML that can be used: body.yaml:3:2: bad indentation of a mapping entry",
    );
  });

  it("lists all faults of a YAML definition at once, with line and column", async () => {
    const text = YAML.replace("expected_output:", "expected_outptu:").replace("role:", "roll:");
    const { status, json } = await new HttpWorld().ask("/crews/notes", putYaml(text));
    expect(status).toBe(400);
    const told = (json["errors"] as unknown as { path: string; message: string }[]).map(
      ({ path, message }) => `${path} ${message.replace(/\d+:\d+/, "L:C")}`,
    );
    expect(told).toEqual([
      "/agents/writer/role body.yaml:L:C: expected string, got nothing",
      "/agents/writer/roll body.yaml:L:C: is not a known field",
      "/tasks/0/expectedOutput body.yaml:L:C: expected string, got nothing",
      "/tasks/0/expectedOutptu body.yaml:L:C: is not a known field",
    ]);
  });

  it("stores a project under the name in the path, whatever name its crew.jsonc has", async () => {
    const world = new HttpWorld();
    const crew = {
      name: "Latest News",
      agents: ["clerk"],
      tasks: [{ name: "note", description: "d", expected_output: "e", agent: "clerk" }],
    };
    const files = {
      "crew.jsonc": JSON.stringify(crew),
      "agents/clerk.jsonc": '{"role":"Clerk","goal":"g","backstory":"b"}',
    };
    const { status, json } = await world.ask("/crews/news", put({ files }));
    expect([status, json["name"]]).toEqual([201, "news"]);
  });

  it("takes the files of a CrewAI project, and runs the crew", async () => {
    const world = new HttpWorld();
    const files = {
      "config/agents.yaml":
        "writer:\n  role: Writer\n  goal: Write\n  backstory: Plain\n  allow_code_execution: true\n  code_execution_mode: unsafe\n",
      "config/tasks.yaml":
        "note:\n  description: Note on {topic}\n  expected_output: A note\n  agent: writer\n",
    };
    const { status, json } = await world.ask("/crews/notes", put({ files }));
    expect(status).toBe(201);
    expect(json["definition"]).toMatchObject({ ignored: ["/agents/writer/codeExecutionMode"] });
    const id = await world.kickoff("notes", { inputs: { topic: "tea" } });
    expect((await world.ask(`/runs/${id}`)).json["status"]).toBe("completed");
    const lost = {
      ...files,
      "config/tasks.yaml": `${files["config/tasks.yaml"]}  tools: [gone]\n`,
    };
    const refused = await world.ask("/crews/other", put({ files: lost }));
    expect(refused.json["errors"]).toMatchObject([
      {
        message: expect.stringMatching(
          /^config\/tasks\.yaml:5:11: note\.tools\[0\]: unknown tool "gone"/,
        ) as string,
      },
    ]);
    const wrong = await world.ask("/crews/other", put({ files: { "crew.jsonc": 3 } }));
    expect(wrong.json["errors"]).toEqual([
      { path: "/files/crew.jsonc", message: "expected the text of a file as a string" },
    ]);
  });

  it("takes additions for a project's code beside its files", async () => {
    const world = new HttpWorld();
    const files = {
      "config/agents.yaml": "writer:\n  role: Writer\n  goal: Write\n  backstory: Plain\n",
      "config/tasks.yaml": "note:\n  description: Note on {topic}\n  expected_output: A note\n",
    };
    const refused = await world.ask("/crews/notes", put({ files }));
    expect([refused.status, refused.json["errors"]]).toEqual([
      400,
      [
        {
          path: "/tasks/0/agent",
          message: expect.stringMatching(
            /^config\/tasks\.yaml:1:1: note\.agent: missing_agent_in_task/,
          ),
        },
      ],
    ]);
    const additions = {
      agents: { writer: { tools: ["ask"], max_iter: 3 } },
      tasks: { note: { agent: "writer", output_json: { type: "object" } } },
    };
    const { status, json } = await world.ask("/crews/notes", put({ files, additions }));
    expect(status).toBe(201);
    expect(json["definition"]).toMatchObject({
      agents: { writer: { tools: ["ask"], maxIter: 3 } },
      tasks: [{ agent: "writer", outputJson: { type: "object" } }],
    });
    const unknown = await world.ask("/crews/notes", put({ files, additons: additions }));
    expect([unknown.status, unknown.json["errors"]]).toEqual([
      400,
      [
        {
          path: "/additons",
          message: "is not a known field: beside `files` only `additions` may stand",
        },
      ],
    ]);
  });

  it("is not blown up by aliases", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) =>
        `l${n}: &l${n} [${Array.from({ length: 10 }, () => (n === 0 ? "x" : `*l${n - 1}`)).join(", ")}]`,
    );
    const { status, json } = await new HttpWorld().ask("/crews/notes", putYaml(levels.join("\n")));
    expect(status).toBe(400);
    expect(json["code"]).toBe("invalid_input");
  });

  it("refuses a name in the body other than the path's", async () => {
    const { status, json } = await new HttpWorld().ask(
      "/crews/notes",
      put({ ...DEFINITION, name: "other" }),
    );
    expect(status).toBe(400);
    expect(json["errors"]).toEqual([
      { path: "/name", message: 'expected "notes" or nothing, got "other"' },
    ]);
    expect(
      (await new HttpWorld().ask("/crews/notes", put({ ...DEFINITION, name: "notes" }))).status,
    ).toBe(201);
  });

  it.each(["%20x", "a%2Fb", "-a", "x".repeat(129), "a%0Ab"])(
    "refuses the name %s",
    async (name) => {
      expect((await new HttpWorld().ask(`/crews/${name}`, put(DEFINITION))).status).toBe(400);
    },
  );

  it.each(["notes-2.1", "Meeting notes", "Entwürfe", "要約"])("takes the name %s", async (name) => {
    const world = new HttpWorld();
    const path = `/crews/${encodeURIComponent(name)}`;
    const created = await world.ask(path, put(DEFINITION));
    expect(created.status).toBe(201);
    expect((await world.ask(String(created.headers.get("location")))).json["name"]).toBe(name);
  });

  it("is 409 for a crew from the code", async () => {
    const world = new HttpWorld();
    expect((await world.ask("/crews/briefing", put(DEFINITION))).json["code"]).toBe("conflict");
    expect((await world.ask("/crews/briefing", { method: "DELETE" })).status).toBe(409);
  });

  it("reports all faults of a definition at once", async () => {
    const tasks = [{ ...DEFINITION.tasks[0], agent: "nobody", tools: ["saw"] }];
    const { status, json } = await new HttpWorld().ask(
      "/crews/notes",
      put({
        ...DEFINITION,
        agents: { writer: { ...DEFINITION.agents.writer, tools: ["hammer"] } },
        tasks,
      }),
    );
    expect(status).toBe(400);
    expect(json["code"]).toBe("invalid_definition");
    expect((json["errors"] as unknown as Array<{ path: string }>).map(({ path }) => path)).toEqual([
      "/agents/writer/tools/0",
      "/tasks/0/agent",
      "/tasks/0/tools/0",
    ]);
  });

  it.each([[null], [[]], ["text"], [{}], [{ agents: {}, tasks: [] }]])(
    "refuses %j",
    async (json) => {
      const answer = await new HttpWorld().ask("/crews/notes", put(json));
      expect([answer.status, answer.json["code"]]).toEqual([400, "invalid_definition"]);
    },
  );

  it("refuses an empty document", async () => {
    expect((await new HttpWorld().ask("/crews/notes", putYaml(""))).status).toBe(400);
    expect((await new HttpWorld().ask("/crews/notes", { method: "PUT" })).status).toBe(415);
  });
});

describe("reading and deleting", () => {
  it("shows a crew of the code", async () => {
    const { json } = await new HttpWorld().ask("/crews/briefing");
    expect(json).toMatchObject({
      name: "briefing",
      source: "code",
      process: "sequential",
      inputs: ["topic"],
      tasks: [{ name: "research", agent: "Researcher" }, { name: "report" }],
    });
    expect(json).not.toHaveProperty("definition");
  });

  it("pages through those of the code, then stored ones", async () => {
    const world = new HttpWorld();
    for (const name of ["zebra", "alpha", "middle"])
      await world.ask(`/crews/${name}`, put(DEFINITION));
    const names: unknown[] = [];
    const sizes: number[] = [];
    for (let query = "?limit=2"; query !== "";) {
      const { json } = await world.ask(`/crews${query}`);
      const items = json["items"] as unknown as Array<{ name: string; source: string }>;
      sizes.push(items.length);
      names.push(...items.map(({ name, source }) => `${source}:${name}`));
      query =
        json["nextCursor"] === undefined
          ? ""
          : `?limit=2&cursor=${encodeURIComponent(textOf(json["nextCursor"]))}`;
    }
    expect(names).toEqual([
      "code:briefing",
      "code:greeting",
      "stored:alpha",
      "stored:middle",
      "stored:zebra",
    ]);
    expect(sizes).toEqual([2, 2, 1]);
  });

  it.each([1, 2, 3, 4])("pages with a limit of %d without gap or double", async (limit) => {
    const world = new HttpWorld();
    for (const name of ["a", "b", "c"]) await world.ask(`/crews/${name}`, put(DEFINITION));
    const names: string[] = [];
    for (let query = `?limit=${limit}`; query !== "";) {
      const { json } = await world.ask(`/crews${query}`);
      names.push(...(json["items"] as unknown as Array<{ name: string }>).map(({ name }) => name));
      query =
        json["nextCursor"] === undefined
          ? ""
          : `?limit=${limit}&cursor=${textOf(json["nextCursor"])}`;
    }
    expect(names).toEqual(["briefing", "greeting", "a", "b", "c"]);
  });

  it("shows a stored crew with its error after it stops working", async () => {
    const before = new HttpWorld();
    await before.ask("/crews/notes", put(DEFINITION));
    const after = new HttpWorld({ definitions: before.definitions, tools: [] });
    const { status, json } = await after.ask("/crews/notes");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "notes",
      error: { code: "invalid_definition" },
      definition: { name: "notes" },
    });
    expect((await after.ask("/crews")).json["items"]).toHaveLength(3);
    expect(
      (await after.ask("/crews/notes/kickoff", { json: { inputs: { topic: "x" } } })).json["code"],
    ).toBe("invalid_definition");
  });

  it("deletes a stored crew; its runs stay", async () => {
    const world = new HttpWorld();
    await world.ask("/crews/notes", put(DEFINITION));
    const id = await world.kickoff("notes", { inputs: { topic: "tea" } });
    const deleted = await world.ask("/crews/notes", { method: "DELETE" });
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect((await world.ask("/crews/notes")).status).toBe(404);
    expect((await world.ask("/crews/notes", { method: "DELETE" })).status).toBe(404);
    expect((await world.ask(`/runs/${id}`)).json).toMatchObject({
      status: "completed",
      tasks: [{ name: "draft" }],
    });
  });
});
