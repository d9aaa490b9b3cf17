import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { EngineError } from "../../../src/base/error.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import type { InputSchema } from "../../../src/crew/crew-inputs.ts";
import type { CrewOptions } from "../../../src/crew/crew-options.ts";
import type { Crew } from "../../../src/crew/crew.ts";
import { newCrewDefinition } from "../../../src/crew/definition/crew-definition.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { scriptedAgent, soloCrew, startCrew } from "../../support/crew-harness.ts";

const DESCRIPTION = "Study {topic}, {n} times";

/** Echoes the first line of what it is asked. */
const crewWith = (inputSchema: InputSchema, more: Partial<CrewOptions> = {}): Crew =>
  soloCrew(
    scriptedAgent(({ messages }) => `did ${messages.at(-1)?.content.split("\n")[0]}`).agent,
    {
      description: DESCRIPTION,
      crew: { inputSchema, ...more },
    },
  );

const ZOD = z.object({
  topic: z.string().min(2),
  n: z.int().min(1).max(9).default(3),
  tone: z.enum(["dry", "warm"]).optional(),
});
const JSON_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    topic: { type: "string", minLength: 2 },
    n: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    tone: { enum: ["dry", "warm"] },
  },
  required: ["topic"],
};

const issuesOf = (attempt: () => unknown) => {
  try {
    attempt();
  } catch (error) {
    const { code, issues = [], message } = error as EngineError;
    return { code, paths: issues.map(({ path }) => path), message };
  }
  return undefined;
};

describe.each([
  ["zod", ZOD],
  ["JSON Schema", JSON_SCHEMA],
])("inputs under a schema: %s", (_, schema) => {
  const crew = crewWith(schema);

  it("CIN1: have its defaults, in the texts and in the run's record (DV5)", async () => {
    const run = startCrew(crew, { topic: "tea" });
    expect((await run.output()).raw).toBe("did Study tea, 3 times");
    expect((await run.handle.status()).inputs).toEqual({ topic: "tea", n: 3 });
  });

  it("CIN1: are refused before the run starts, each at its place (DV5)", async () => {
    const inputs = { topic: "t", n: 10, tone: "loud" };
    const wrong = { code: "invalid_input", paths: ["/inputs/topic", "/inputs/n", "/inputs/tone"] };
    expect(issuesOf(() => crew.start({ inputs }))).toMatchObject(wrong);
    await expect(crew.kickoff({ inputs })).rejects.toMatchObject({ code: "invalid_input" });
    expect(issuesOf(() => crew.start())).toMatchObject({
      paths: ["/inputs/topic"],
      message: expect.stringContaining("is needed by the crew"),
    });
  });

  it("CIN1: of each of many are refused before the first starts", async () => {
    const many = crew.kickoffForEach([{ topic: "tea" }, { topic: "t" }, { n: 1 }]);
    await expect(many).rejects.toMatchObject({
      issues: [{ path: "/inputs/1/topic" }, { path: "/inputs/2/topic" }],
    });
    const outputs = await crew.kickoffForEach([{ topic: "tea" }, { topic: "ink", n: 4 }]);
    expect(outputs.map(({ raw }) => raw)).toEqual([
      "did Study tea, 3 times",
      "did Study ink, 4 times",
    ]);
  });

  it("CIN1: of a crew in a flow are checked as well", async () => {
    const flowOf = (inputs: JsonObject) =>
      defineFlow({
        name: "outer",
        state: z.object({}),
        methods: {
          begin: { start: true, run: async () => (await crew.kickoff({ inputs })).raw },
        },
      });
    expect((await flowOf({ topic: "tea" }).kickoff()).value).toBe("did Study tea, 3 times");
    await expect(flowOf({ topic: "t" }).kickoff()).rejects.toMatchObject({
      code: "invalid_input",
      issues: [{ path: "/inputs/topic" }],
    });
  });

  it("CIN2: outside the schema pass", async () => {
    const run = startCrew(crew, { topic: "tea", other: [1], crewai_trigger_payload: "x" });
    await run.output();
    expect((await run.handle.status()).inputs).toMatchObject({ other: [1], n: 3 });
  });

  it("CIN3: placeholders of the texts are required, and the crew's own inputs are defaults", () => {
    const text = soloCrew(scriptedAgent(["x"]).agent, {
      description: "Study {topic} in {city}",
      crew: { inputSchema: schema, inputs: { topic: "tea" } },
    });
    expect(text.requiredInputs).toEqual(["city"]);
    expect(text.inputSchema).toMatchObject({
      properties: { topic: { default: "tea" }, n: { default: 3 }, city: {} },
      required: ["city"],
    });
    expect(issuesOf(() => text.heldInputs({}))?.paths).toEqual(["/inputs/city"]);
    expect(text.heldInputs({ city: "Bath" })).toEqual({ city: "Bath", topic: "tea", n: 3 });
  });

  it("with an invalid default make no crew", () => {
    expect(issuesOf(() => crewWith(schema, { inputs: { n: 12 } }))).toMatchObject({
      code: "invalid_definition",
      message: expect.stringMatching(
        /inputSchema of crew "solo": the default of n: expected at most 9/,
      ),
    });
  });
});

describe("inputs under a schema", () => {
  it("CIN2: refused by the schema are refused, except those with a reserved meaning", () => {
    for (const schema of [
      z.strictObject({ topic: z.string(), n: z.number() }),
      { ...JSON_SCHEMA, additionalProperties: false },
    ]) {
      const crew = crewWith(schema);
      const inputs = { topic: "tea", n: 1 };
      expect(issuesOf(() => crew.heldInputs({ ...inputs, other: 1 }))?.paths).toEqual([
        "/inputs/other",
      ]);
      const triggered = { ...inputs, crewai_trigger_payload: { a: 1 }, crew_chat_messages: [] };
      expect(crew.heldInputs(triggered)).toEqual(triggered);
    }
  });

  it("CIN1: have the values parsed by zod, once", async () => {
    const crew = crewWith(
      z.object({ topic: z.string().transform((text) => `${text}!`), n: z.coerce.number() }),
    );
    const run = startCrew(crew, { topic: "tea", n: "4" });
    expect((await run.output()).raw).toBe("did Study tea!, 4 times");
    expect((await run.handle.status()).inputs).toEqual({ topic: "tea!", n: 4 });
  });

  it("must stay JSON, as the run stores them", () => {
    const crew = crewWith(
      z.object({ topic: z.string().transform((text) => new Map([[text, 1]])) }),
      {
        inputs: { n: 1 },
      },
    );
    expect(issuesOf(() => crew.heldInputs({ topic: "tea" }))).toMatchObject({
      code: "invalid_definition",
      message: expect.stringContaining("must be JSON"),
    });
  });

  it("have the defaults of fields of fields", () => {
    const crew = crewWith({
      properties: {
        topic: { default: "tea" },
        n: { type: "object", properties: { least: { type: "integer", default: 1 } } },
      },
    });
    expect(crew.heldInputs({ n: {} })).toEqual({ topic: "tea", n: { least: 1 } });
  });

  it("without a schema are unchanged", () => {
    const crew = soloCrew(scriptedAgent(["x"]).agent, { description: DESCRIPTION });
    expect([crew.inputSchema, crew.requiredInputs]).toEqual([undefined, ["topic", "n"]]);
    expect(crew.heldInputs({})).toEqual({});
  });

  it.each([
    ["a text", "topic", /expected a zod schema or a JSON Schema, got "topic"/],
    ["a list", z.array(z.string()), /expected the schema of one object/],
    ["another type", { type: "string" }, /expected the schema of one object/],
    ["a type without a JSON Schema", z.object({ at: z.date() }), /has no JSON Schema/],
  ])("%s is no schema of inputs", (_, schema, message) => {
    expect(issuesOf(() => crewWith(schema as InputSchema))).toMatchObject({
      code: "invalid_definition",
      message: expect.stringMatching(message),
    });
  });
});

describe("a definition's inputSchema", () => {
  const definition = (more: JsonObject) => ({
    agents: { clerk: { role: "Clerk", goal: "Answer", backstory: "Plain." } },
    tasks: [{ description: DESCRIPTION, expected_output: "A page", agent: "clerk" }],
    ...more,
  });

  it("is JSON Schema, or the name of a shape, under either spelling (DV5)", () => {
    const { crew } = newCrewDefinition(definition({ input_schema: JSON_SCHEMA }));
    expect(crew.heldInputs({ topic: "tea" })).toEqual({ topic: "tea", n: 3 });
    const registry = { schemas: { Wanted: ZOD } };
    const named = newCrewDefinition(definition({ inputSchema: "Wanted" }), registry).crew;
    expect(issuesOf(() => named.heldInputs({ topic: "t" }))?.paths).toEqual(["/inputs/topic"]);
    const own = { inputSchema: "Wanted", schemas: { Wanted: JSON_SCHEMA } };
    expect(newCrewDefinition(definition(own)).crew.requiredInputs).toEqual(["topic"]);
  });

  it.each([
    ["/inputSchema/properties/n/type", { type: "object", properties: { n: { type: "int" } } }],
    [
      "/inputSchema/properties/n/$ref",
      { type: "object", properties: { n: { $ref: "https://x" } } },
    ],
    ["/inputSchema", "Nothing"],
    ["/inputSchema", { topic: "string" }],
  ])("with a fault at %s is refused there", (path, inputSchema) => {
    const found = issuesOf(() =>
      newCrewDefinition(definition({ inputSchema }), { fromData: true }),
    );
    expect(found).toMatchObject({ code: "invalid_definition", paths: [path] });
  });
});
