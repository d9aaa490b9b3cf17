import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { asObject, outOfObject } from "../../../src/model-calls/answer-shape.ts";
import { runCrewToEnd, scriptedAgent, soloCrew } from "../../support/crew-harness.ts";

const schemaOf = (type: z.ZodType): JsonObject =>
  z.toJSONSchema(type, { io: "input" }) as JsonObject;

describe("SH2: an answer other than an object", () => {
  const people = z.array(z.object({ name: z.string() }));
  const shape = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), r: z.number() }),
    z.object({ kind: z.literal("square"), a: z.number() }),
  ]);

  it.each([
    ["a list", people, '{"items":[{"name":"Ada"}]}', [{ name: "Ada" }]],
    ["a list as it is", people, '[{"name":"Ada"}]', [{ name: "Ada" }]],
    ["a union", shape, '{"value":{"kind":"square","a":2}}', { kind: "square", a: 2 }],
    ["a number", z.number(), '{"value":4}', 4],
    ["a number as text", z.number(), '{"value":"4"}', 4],
  ])("is asked for in an object, and taken out of it: %s", async (...[, output, answer, value]) => {
    const { agent, model } = scriptedAgent([answer]);
    const { result } = await runCrewToEnd(soloCrew(agent, { output }));
    expect(result.object).toEqual(value);
    expect(model.calls).toHaveLength(1);
    const sent = model.calls[0]?.request.responseSchema?.schema;
    expect(sent).toMatchObject({ type: "object", additionalProperties: false });
  });

  it("is named by its place when it does not fit", async () => {
    const { agent, model } = scriptedAgent([
      '{"items":[{"name":7}]}',
      '{"items":[{"name":"Ada"}]}',
    ]);
    const { result } = await runCrewToEnd(soloCrew(agent, { output: people }));
    expect(result.object).toEqual([{ name: "Ada" }]);
    expect(JSON.stringify(model.calls[1]?.messages)).toContain("/0/name");
  });

  it("keeps its definitions where references find them", () => {
    const schema: JsonObject = {
      $defs: { Name: { type: "string" } },
      type: "array",
      items: { $ref: "#/$defs/Name" },
    };
    expect(asObject(schema)).toEqual({
      type: "object",
      properties: { items: { type: "array", items: { $ref: "#/$defs/Name" } } },
      required: ["items"],
      additionalProperties: false,
      $defs: { Name: { type: "string" } },
    });
    expect(asObject(schema)).toBe(asObject(schema));
  });

  it("is extracted from no other object", () => {
    const list = schemaOf(people);
    expect(outOfObject(list, { items: [], more: 1 })).toBeUndefined();
    expect(outOfObject(list, { people: [] })).toBeUndefined();
    expect(outOfObject(schemaOf(z.object({ items: z.number() })), { items: 1 })).toBeUndefined();
  });
});

it("an object is asked for as it is", () => {
  const schema = schemaOf(z.object({ a: z.number() }));
  expect(asObject(schema)).toBe(schema);
});
