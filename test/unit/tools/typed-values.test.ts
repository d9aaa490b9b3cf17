import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { fromZod } from "../../../src/tools/json-schema.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  startCrew,
} from "../../support/crew-harness.ts";
import { tool, toolFromSchema } from "../../../src/tools/tool.ts";
import { typedValue } from "../../../src/tools/typed-values.ts";

const integer = { type: "integer" } as const;
const number = { type: "number" } as const;
const boolean = { type: "boolean" } as const;
const string = { type: "string" } as const;

describe("typedValue", () => {
  it.each<readonly [JsonObject, JsonValue, JsonValue]>([
    [integer, "15", 15],
    [integer, " -3 ", -3],
    [integer, "4.0", 4],
    [number, "2.5", 2.5],
    [number, "1e3", 1000],
    [boolean, "true", true],
    [boolean, "False", false],
    [boolean, "yes", true],
    [boolean, 0, false],
    [{ type: ["integer", "null"] }, "7", 7],
    [{ type: ["integer", "null"] }, "None", null],
    [{ anyOf: [integer, number] }, "7", 7],
    [{ enum: [1, 2, 3] }, "2", 2],
    [{ type: "array", items: integer }, '["1", 2]', [1, 2]],
    [{ type: "array", items: integer }, ["1", "2"], [1, 2]],
    [{ type: "object", properties: { a: integer } }, '{"a": "1"}', { a: 1 }],
    [{ type: "object", additionalProperties: number }, { a: "1.5" }, { a: 1.5 }],
    [{ $ref: "#/$defs/n", $defs: { n: integer } }, "3", 3],
    [{ allOf: [{ type: "object", properties: { a: boolean } }] }, { a: "true" }, { a: true }],
    [
      {
        anyOf: [
          {
            type: "object",
            properties: { kind: { const: "a" }, n: integer },
            required: ["kind", "n"],
          },
          {
            type: "object",
            properties: { kind: { const: "b" }, n: string },
            required: ["kind", "n"],
          },
        ],
      },
      { kind: "a", n: "5" },
      { kind: "a", n: 5 },
    ],
    [
      { type: "object", properties: { finalSummary: string }, required: ["finalSummary"] },
      { final_summary: "x" },
      { finalSummary: "x" },
    ],
  ])("TV1: for %j takes %j as %j", (schema, value, expected) => {
    expect(typedValue(schema, value)).toEqual(expected);
  });

  it.each<readonly [JsonObject, JsonValue]>([
    [integer, "15 kg"],
    [integer, "1,000"],
    [integer, "2.5"],
    [integer, "0x1f"],
    [integer, ""],
    [integer, "12345678901234567890"],
    [number, "Infinity"],
    [number, "1e999"],
    [number, true],
    [boolean, "maybe"],
    [boolean, 2],
    [string, 5],
    [string, "15"],
    [{ type: ["string", "integer"] }, "15"],
    [{ anyOf: [integer, boolean] }, "1"],
    [{ type: "array", items: string }, "one"],
    [{ type: "object" }, "[1]"],
  ])("TV2: for %j leaves %j alone", (schema, value) => {
    expect(typedValue(schema, value)).toEqual(value);
  });

  it("ends in recursive schemas", () => {
    const schema = { $ref: "#" };
    expect(typedValue(schema, "1")).toBe("1");
    const tree = fromZod(
      z.object({
        n: z.int(),
        get next() {
          return tree0.optional();
        },
      }),
    );
    expect(typedValue(tree, { n: "1", next: { n: "2" } })).toEqual({ n: 1, next: { n: 2 } });
  });
});

const tree0: z.ZodType = z.object({ n: z.int() });

describe("an agent's call", () => {
  const calls: JsonValue[] = [];
  const run = (input: unknown) => calls.push(input as JsonValue);
  const add = tool({
    name: "add",
    description: "Adds.",
    input: z.object({ a: z.int(), b: z.number(), exact: z.boolean().default(false) }),
    needsApproval: ({ a }) => typeof a === "number" && a > 1_000,
    run,
  });
  const parameters = { type: "object", properties: { a: integer }, required: ["a"] };
  const plain = toolFromSchema({ name: "plain", description: "Adds.", parameters, run });

  it.each([
    [add, { a: "15", b: 27, exact: "true" }, { a: 15, b: 27, exact: true }],
    [plain, { a: "15" }, { a: 15 }],
    [plain, { A: 15 }, { a: 15 }],
  ])("TV1: is made with the tool's own types", async (made, input, expected) => {
    calls.length = 0;
    const { agent, model } = scriptedAgent([calling(made.name, input), "done"], { tools: [made] });
    await runCrewToEnd(soloCrew(agent));
    expect(calls).toEqual([expected]);
    expect(model.calls).toHaveLength(2);
  });

  it("TV2: is not made when the type is not clear", async () => {
    calls.length = 0;
    const { agent, model } = scriptedAgent([calling("add", { a: "15 kg", b: 1 }), "done"], {
      tools: [add],
    });
    await runCrewToEnd(soloCrew(agent));
    expect(calls).toEqual([]);
    expect(lastTold(model, 1)).toContain("/a: ");
  });

  it("TV1: is judged by its final types, so text bypasses no approval", async () => {
    const { agent } = scriptedAgent([calling("add", { a: "5000", b: 1 }), "done"], {
      tools: [add],
    });
    expect((await startCrew(soloCrew(agent)).settle()).waits).toHaveLength(1);
  });
});

describe("TV3: an optional field", () => {
  const schema = z.toJSONSchema(
    z.object({
      city: z.string(),
      days: z.number().int().optional(),
      units: z.enum(["c", "f"]).default("c"),
      tags: z.array(z.string()).optional(),
      note: z.string().optional(),
      known: z.string().nullable().optional(),
      at: z.object({ zone: z.string().optional() }).optional(),
    }),
    { io: "input" },
  ) as JsonObject;

  it.each([
    [{ days: null }, {}],
    [{ days: "" }, {}],
    [{ days: "null" }, {}],
    [{ units: null }, {}],
    [{ units: "" }, {}],
    [{ tags: null }, {}],
    [{ tags: "None" }, {}],
    [{ note: null }, {}],
    // Texts that a text takes, and nulls that are asked for, stay.
    [{ note: "" }, { note: "" }],
    [{ note: "none" }, { note: "none" }],
    [{ known: null }, { known: null }],
    [{ at: { zone: null } }, { at: {} }],
    [{ days: "3" }, { days: 3 }],
    [{ days: "soon" }, { days: "soon" }],
  ])("reads %j as %j", (given, read) => {
    expect(typedValue(schema, { city: "Rome", ...given })).toEqual({ city: "Rome", ...read });
  });

  it("is one: a required field keeps its null", () => {
    expect(typedValue(schema, { city: null })).toEqual({ city: null });
  });
});
