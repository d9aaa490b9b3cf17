// What a project says beside its YAML, as data of PUT: shapes, the process, agents of tasks, tools, guardrails in words.
import { describe, expect, it } from "vitest";
import { HttpWorld } from "../../support/http-app.ts";

const files = {
  "config/agents.yaml":
    "clerk:\n  role: Clerk\n  goal: Note\n  backstory: Plain\nchief:\n  role: Chief\n  goal: Lead\n  backstory: Calm\n",
  "config/tasks.yaml":
    "note:\n  description: Note on {topic}\n  expected_output: A note\n  output_pydantic: Note\n",
};
const note = {
  type: "object",
  properties: { title: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
  required: ["title"],
};
const YAML = `
agents:
  clerk: { role: Clerk, goal: Note, backstory: Plain }
tasks:
  note: { description: "Note on {topic}", expected_output: A note, agent: clerk, output_json: Note }
schemas:
  Note:
    type: object
    properties:
      title: { type: string }
    required: [title]
`;

async function runOf(world: HttpWorld, name: string) {
  const id = await world.kickoff(name, { inputs: { topic: "tea" } });
  return (await world.ask(`/runs/${id}`)).json;
}

describe("shapes in PUT /crews/:name", () => {
  it("are stored and shown, and shape the answer", async () => {
    const world = new HttpWorld({ script: () => '{"title": "Tea", "tags": ["hot"]}' });
    const additions = { schemas: { Note: note }, tasks: { note: { agent: "clerk" } } };
    const put = await world.ask("/crews/notes", { method: "PUT", json: { files, additions } });
    expect([put.status, put.json["warnings"]]).toEqual([201, undefined]);
    const { json } = await world.ask("/crews/notes");
    expect(json["definition"]).toMatchObject({ schemas: { Note: note } });
    expect(await runOf(world, "notes")).toMatchObject({
      status: "completed",
      output: { object: { title: "Tea", tags: ["hot"] } },
    });
  });

  it("have the model mend an invalid answer, as shapes of the code do", async () => {
    const answers = ['{"name": "Tea"}', '{"title": 5}', '{"title": "Tea"}'];
    const world = new HttpWorld({ script: () => answers.shift() ?? "none left" });
    const put = { method: "PUT", body: YAML, headers: { "content-type": "application/yaml" } };
    expect((await world.ask("/crews/notes", put)).status).toBe(201);
    expect(await runOf(world, "notes")).toMatchObject({
      status: "completed",
      output: { object: { title: "Tea" } },
    });
    expect(answers).toEqual([]);
    const last = world.model.calls.at(-1)?.messages.at(-1)?.content;
    expect(last).toContain("/title");
  });

  it("are refused with line and column when they cannot be used", async () => {
    const text = YAML.replace("type: string", "type: text");
    const put = { method: "PUT", body: text, headers: { "content-type": "application/yaml" } };
    const { status, json } = await new HttpWorld().ask("/crews/notes", put);
    expect([status, json["errors"]]).toEqual([
      400,
      [
        {
          path: "/schemas/Note/properties/title/type",
          message: expect.stringMatching(/^body\.yaml:10:16: expected one of string/),
        },
      ],
    ]);
  });

  it("are refused when they would fetch, or never end, or are nested without measure", async () => {
    const world = new HttpWorld();
    const refused = async (schema: unknown) => {
      const additions = { schemas: { Note: schema }, tasks: { note: { agent: "clerk" } } };
      const put = await world.ask("/crews/notes", { method: "PUT", json: { files, additions } });
      const errors = put.json["errors"] as unknown as { path: string }[] | undefined;
      return [put.status, errors?.[0]?.path];
    };
    let deep: object = { type: "string" };
    for (let depth = 0; depth < 2000; depth += 1) deep = { not: deep };
    expect(await refused({ $ref: "http://169.254.169.254/x" })).toEqual([
      400,
      "/schemas/Note/$ref",
    ]);
    expect(await refused({ $ref: "#" })).toEqual([400, "/schemas/Note"]);
    expect((await refused(deep))[0]).toBe(400);
    expect((await refused("Note"))[0]).toBe(400);
    expect(world.reported).toEqual([]);
  });

  it("differ from settings: a field called llm or token is not a key", async () => {
    const world = new HttpWorld({ script: () => "{}" });
    const fields = { llm: { type: "string" }, apiKey: { type: "string" }, mcps: { type: "array" } };
    const schemas = { Note: { type: "object", properties: fields } };
    const additions = { schemas, tasks: { note: { agent: "clerk" } } };
    const put = await world.ask("/crews/notes", { method: "PUT", json: { files, additions } });
    expect(put.json["definition"]).toMatchObject({ schemas });
    expect((await world.ask("/crews/notes")).json["definition"]).toMatchObject({ schemas });
  });
});

describe("additions from crew.py, in PUT /crews/:name", () => {
  it("has effect: process, manager, agents of tasks, tools with options, guardrails in words", async () => {
    const world = new HttpWorld({
      script: () => '{"valid": true, "feedback": null}',
    });
    const additions = {
      process: "hierarchical",
      manager_agent: "chief",
      agents: { clerk: { tools: [{ tool: "ask", name: "ask" }], max_iter: 3 } },
      schemas: { Note: { type: "object" } },
      tasks: {
        note: { agent: "clerk", guardrails: ["it names no person"], async_execution: false },
      },
    };
    const put = await world.ask("/crews/notes", { method: "PUT", json: { files, additions } });
    expect(put.status).toBe(201);
    expect(put.json).toMatchObject({
      process: "hierarchical",
      definition: {
        managerAgent: "chief",
        agents: { clerk: { maxIter: 3 } },
        tasks: [{ guardrails: ["it names no person"] }],
      },
    });
    expect(await runOf(world, "notes")).toMatchObject({ status: "completed" });
    const asked = world.model.calls.map(({ messages }) => JSON.stringify(messages)).join("\n");
    expect(asked).toContain("it names no person");
  });
});
