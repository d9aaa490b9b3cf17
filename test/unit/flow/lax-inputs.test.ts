import { expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { flowFromDeclaration } from "../../../src/declarative/index.ts";
import { laxInputs } from "../../../src/flow/lax-inputs.ts";

const schema = z.object({
  n: z.number().int().default(0),
  f: z.number().optional(),
  b: z.boolean().nullable().optional(),
  text: z.string().default(""),
  list: z.array(z.object({ x: z.int() })).default([]),
  either: z.union([z.number(), z.boolean()]).optional(),
});

function converted(inputs: JsonObject): JsonObject {
  return laxInputs(schema, inputs, inputs);
}

it.each<[JsonObject]>([[{ n: 5 }], [{ n: "5" }], [{ n: " +5 " }], [{ n: "5.0" }], [{ n: "0_5" }]])(
  "LXI2: %j gives 5",
  (inputs) => {
    expect(converted(inputs)).toEqual({ n: 5 });
  },
);

it.each<[JsonObject, JsonObject]>([
  [{ n: true }, { n: 1 }],
  [{ f: "1e3" }, { f: 1000 }],
  [{ f: "-.5" }, { f: -0.5 }],
  [{ b: "Yes" }, { b: true }],
  [{ b: "off" }, { b: false }],
  [{ b: 1 }, { b: true }],
  [{ b: 0 }, { b: false }],
  [{ list: [{ x: "7" }, { x: 2 }] }, { list: [{ x: 7 }, { x: 2 }] }],
  [{ either: "true" }, { either: true }],
  [{ either: "3" }, { either: 3 }],
])("LXI2: converts %j", (inputs, expected) => {
  expect(converted(inputs)).toEqual(expected);
});

it.each<[JsonObject]>([
  [{ n: "many" }],
  [{ n: "" }],
  [{ f: "1e999" }],
  [{ b: "maybe" }],
  [{ b: 2 }],
  [{ text: 5 }],
  [{ list: "7" }],
])("LXI3: leaves %j to the schema", (inputs) => {
  expect(converted(inputs)).toEqual(inputs);
});

it("LXI1: converts inputs only, not the earlier state", () => {
  const given: JsonObject = { n: "5", f: "5" };
  expect(laxInputs(schema, given, { n: "5" })).toEqual({ n: 5, f: "5" });
});

const stateOf = { start: true, run: ({ state }: { state: object }) => ({ ...state }) } as const;
const declared = flowFromDeclaration({
  schema: "crewai.flow/v1",
  name: "declared",
  state: {
    type: "json_schema",
    json_schema: {
      type: "object",
      properties: {
        n: { type: "integer" },
        b: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        inner: { type: "object", properties: { f: { type: "number" } } },
        list: { type: "array", items: { type: "integer" } },
      },
    },
  },
  methods: { m: { start: true, do: { call: "expression", expr: "state.n" } } },
});

it("texts for typed fields are converted in a flow with a zod schema, and in its check before a run", async () => {
  const flow = defineFlow({ name: "typed", state: schema, methods: { m: stateOf } });
  const inputs: JsonObject = { n: "5", b: "true", list: [{ x: "7" }] };
  expect(() => flow.checkKickoff(inputs)).not.toThrow();
  const { state } = await flow.kickoff({ inputs });
  expect(state).toMatchObject({ n: 5, b: true, list: [{ x: 7 }] });
  expect(() => flow.checkKickoff({ n: "many" })).toThrow("/n: expected number");
});

it("texts for typed fields are converted in a declared flow with a JSON schema", async () => {
  const inputs: Record<string, JsonValue> = {
    n: "5",
    b: "no",
    inner: { f: "1.5" },
    list: ["1", 2],
  };
  expect(() => declared.checkKickoff(inputs)).not.toThrow();
  const { value, state } = await declared.kickoff({ inputs });
  expect([value, state]).toEqual([
    5,
    expect.objectContaining({ n: 5, b: false, inner: { f: 1.5 }, list: [1, 2] }),
  ]);
});
