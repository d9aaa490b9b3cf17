import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { crewPart } from "../../../src/crew/crew-part.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { openApiDocument } from "../../../src/http/openapi/openapi.ts";
import { HttpWorld } from "../../support/http-app.ts";

const agent = new Agent({ role: "Clerk", goal: "Answer", backstory: "Plain." });
const crew = (more = {}) =>
  new Crew({
    name: "study",
    tasks: [
      new Task({ name: "page", description: "Study {topic}", expectedOutput: "A page", agent }),
    ],
    ...more,
  });
const study = crew({
  inputSchema: z.object({
    topic: z.string().min(2).describe("What to study"),
    n: z.int().min(1).max(9).default(3),
  }),
});
const DEFINITION = {
  agents: { clerk: { role: "Clerk", goal: "Answer", backstory: "Plain." } },
  tasks: [{ description: "Study {topic}", expectedOutput: "A page", agent: "clerk" }],
  inputSchema: {
    type: "object",
    properties: { topic: { type: "string", minLength: 2 }, n: { type: "integer", default: 3 } },
    required: ["topic"],
  },
};

describe("a crew's inputSchema over HTTP", () => {
  const world = () => new HttpWorld({ crews: { study, plain: crew() } });

  it("is in its details; without one it is made of the texts' placeholders (CA25)", async () => {
    const http = world();
    expect((await http.ask("/crews/study")).json).toMatchObject({
      inputs: ["topic"],
      inputSchema: {
        properties: {
          topic: { type: "string", minLength: 2, description: "What to study" },
          n: { type: "integer", default: 3 },
        },
        required: ["topic"],
      },
    });
    expect((await http.ask("/crews/plain")).json["inputSchema"]).toEqual({
      type: "object",
      properties: { topic: {} },
      required: ["topic"],
    });
  });

  it.each(["/crews/study/kickoff", "/crews/study/test", "/crews/study/train"])(
    "%s: wrong inputs are 400 with pointers, and start nothing (DV5)",
    async (path) => {
      const http = world();
      const json = { inputs: { topic: "t", n: 10 }, iterations: 1 };
      const body = path.endsWith("kickoff") ? { inputs: json.inputs } : json;
      const { status, json: problem } = await http.ask(path, { json: body });
      expect([status, problem["code"]]).toEqual([400, "invalid_input"]);
      expect(problem["errors"]).toMatchObject([{ path: "/inputs/topic" }, { path: "/inputs/n" }]);
      expect((await http.ask("/runs")).json["items"]).toEqual([]);
    },
  );

  it("a run records its inputs with the defaults (DV5)", async () => {
    const http = world();
    await http.ask("/crews/study/kickoff", { json: { id: "r1", inputs: { topic: "tea" } } });
    expect((await http.ask("/runs/r1")).json["inputs"]).toEqual({ topic: "tea", n: 3 });
  });

  it("each input of a batch is checked before the first starts (DV5)", async () => {
    const http = world();
    const path = "/crews/study/kickoff-for-each";
    const wrong = await http.ask(path, {
      json: { inputs: [{ topic: "tea" }, { topic: "tea", n: 0 }] },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.json["errors"]).toMatchObject([{ path: "/inputs/1/n" }]);
    await http.ask(path, { json: { id: "b1", inputs: [{ topic: "tea" }] } });
    expect((await http.ask("/runs/b1")).json["inputs"]).toEqual({
      inputs: [{ topic: "tea", n: 3 }],
    });
  });

  it("is stored with a definition, and answered with it (DV5)", async () => {
    const http = world();
    const { status, json } = await http.ask("/crews/mine", { method: "PUT", json: DEFINITION });
    expect([status, json["inputSchema"]]).toEqual([201, DEFINITION.inputSchema]);
    const kickoff = (inputs: object) =>
      http.ask("/crews/mine/kickoff", { json: { id: "r2", inputs } });
    expect((await kickoff({ topic: "t" })).json["errors"]).toMatchObject([
      { path: "/inputs/topic" },
    ]);
    await kickoff({ topic: "tea" });
    expect((await http.ask("/runs/r2")).json["inputs"]).toEqual({ topic: "tea", n: 3 });
  });

  it("an invalid choice, or an input the schema refuses, is 400 with its pointer (CA25)", async () => {
    const strict = crew({
      name: "strict",
      inputSchema: z.strictObject({
        topic: z.string(),
        tone: z.enum(["dry", "warm"]).default("dry"),
      }),
    });
    const http = new HttpWorld({ crews: { strict, study } });
    const errors = async (path: string, inputs: object): Promise<unknown> => {
      const { json } = await http.ask(path, { json: { inputs } });
      const issues = (json["errors"] ?? []) as unknown as readonly { readonly path: string }[];
      return issues.map(({ path: at }) => at);
    };
    const kickoff = "/crews/strict/kickoff";
    expect(await errors(kickoff, { topic: "tea", tone: "loud" })).toEqual(["/inputs/tone"]);
    expect(await errors(kickoff, { tone: "dry" })).toEqual(["/inputs/topic"]);
    expect(await errors(kickoff, { topic: "tea", more: 1 })).toEqual(["/inputs/more"]);
    expect(await errors(kickoff, { topic: "tea" })).toEqual([]);
    expect(await errors("/crews/study/kickoff", { topic: "tea", more: 1 })).toEqual([]);
  });

  it("a flow's schema is its state's: fields with a default are not required (CA25)", async () => {
    const sort = defineFlow({
      name: "sort",
      state: z.object({
        mail: z.string().min(1),
        kind: z.enum(["bill", "other"]).default("other"),
      }),
      methods: { begin: { start: true, run: () => "done" } },
    });
    const http = new HttpWorld({ flows: { sort } });
    expect((await http.ask("/flows/sort")).json["inputSchema"]).toMatchObject({
      properties: { mail: { minLength: 1 }, kind: { enum: ["bill", "other"], default: "other" } },
      required: ["mail"],
    });
    const wrong = { inputs: { mail: "x", kind: "letter" } };
    const { status, json } = await http.ask("/flows/sort/kickoff", { json: wrong });
    expect([status, json["errors"]]).toMatchObject([400, [{ path: "/inputs/kind" }]]);
    expect((await http.ask("/flows/sort/kickoff", { json: { inputs: {} } })).status).toBe(400);
  });

  it("is the same in the details and in the API document (CA25)", async () => {
    const sort = defineFlow({
      name: "sort mail",
      state: z.object({ mail: z.string(), size: z.object({ kb: z.number() }).nullable() }),
      methods: { begin: { start: true, run: () => "done" } },
    });
    const http = new HttpWorld({
      crews: { study, plain: crew() },
      agents: { clerk: agent },
      flows: { "sort mail": sort, sort_mail: sort },
    });
    const document = openApiDocument(http.api);
    const described = (path: string, name: string): unknown => {
      const { $ref = "" } = document.paths[path]?.["post"]?.["x-inputs"]?.[name] ?? {};
      return document.components.schemas[$ref.replace("#/components/schemas/", "")];
    };
    for (const [kind, name] of [
      ["crews", "study"],
      ["crews", "plain"],
      ["agents", "clerk"],
      ["flows", "sort mail"],
      ["flows", "sort_mail"],
    ] as const) {
      const details = await http.ask(`/${kind}/${encodeURIComponent(name)}`);
      const schema = details.json["inputSchema"];
      expect([name, schema]).toEqual([name, expect.objectContaining({ type: "object" })]);
      expect([name, described(`/${kind}/{name}/kickoff`, name)]).toEqual([name, schema]);
    }
  });

  it("a chat needs no inputs", async () => {
    const http = world();
    const json = { id: "c1", messages: [{ role: "user", content: "Hello" }] };
    expect((await http.ask("/crews/study/chat", { json })).status).toBe(202);
  });

  it("triggers and protocols check their inputs (DV5)", () => {
    const part = crewPart({
      crews: { study },
      registry: {},
      readers: { yaml: JSON.parse, project: () => ({}) } as never,
    });
    const start = part.kinds?.["crew"]?.subjects?.get("study")?.start;
    expect(start?.({ topic: "tea" })).toMatchObject({ inputs: { topic: "tea", n: 3 } });
    expect(() => start?.({ topic: "tea", n: 0 })).toThrow(/n expected at least 1, got number 0/);
  });
});
