import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { flowFromDeclaration } from "../../../src/declarative/index.ts";
import { refusals, startDeclared } from "../../support/declared-flow.ts";

const flow = (state: JsonObject | undefined, expr = "1"): JsonObject => ({
  name: "F",
  ...(state === undefined ? undefined : { state }),
  methods: { go: { start: true, do: { call: "expression", expr } } },
});

async function stateOf(
  state: JsonObject | undefined,
  inputs: JsonObject = {},
  schemas: Record<string, z.ZodType> = {},
): Promise<Record<string, JsonValue>> {
  const { output } = startDeclared(flow(state), { inputs, registry: { schemas } });
  const { id, ...rest } = (await output()).state;
  expect(id).toBeTypeOf("string");
  return rest;
}

const SCHEMA = {
  type: "object",
  properties: {
    topic: { type: "string" },
    limit: { type: "integer", default: 3 },
    deep: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  },
  required: ["topic", "deep"],
  additionalProperties: false,
};

describe("the state of a declared flow", () => {
  it.each<[string, JsonObject | undefined]>([
    ["a missing state", undefined],
    ["dict", { type: "dict" }],
    ["unknown", { type: "unknown", ref: "my_project:State" }],
    ["only a ref", { type: "pydantic" }],
  ])("%s takes any inputs", async (_, state) => {
    expect(await stateOf(state, { a: 1, b: [null] })).toEqual({ a: 1, b: [null] });
  });

  it.each<[string, JsonObject]>([
    ["dict", { type: "dict", default: { a: 1, b: 2 } }],
    ["unknown", { type: "unknown", default: { a: 1, b: 2 } }],
    ["without a type", { default: { a: 1, b: 2 } }],
  ])("%s begins with its defaults, under the inputs", async (_, state) => {
    expect(await stateOf(state, { b: 3 })).toEqual({ a: 1, b: 3 });
  });

  it("json_schema sets defaults, those of the block over those of the schema", async () => {
    expect(await stateOf({ type: "json_schema", json_schema: SCHEMA })).toEqual({ limit: 3 });
    expect(
      await stateOf(
        { type: "json_schema", json_schema: SCHEMA, default: { limit: 5 } },
        { topic: "tea" },
      ),
    ).toEqual({ topic: "tea", limit: 5 });
  });

  it("json_schema refuses invalid inputs before the flow starts; missing ones may come later", () => {
    const { checkKickoff } = bound({ type: "json_schema", json_schema: SCHEMA });
    expect(() => checkKickoff({})).not.toThrow();
    expect(() => checkKickoff({ id: "my-own" })).not.toThrow();
    expect(() => checkKickoff({ topic: 4 })).toThrow("/topic: expected string, got number 4");
    expect(() => checkKickoff({ topic: "a", limit: 1.5 })).toThrow("/limit: expected integer");
    expect(() => checkKickoff({ deep: {} })).toThrow('expected a property "a"');
    expect(() => checkKickoff({ other: 1 })).toThrow("expected no such field");
    expect(() => checkKickoff({ topic: "a, got b", limit: "x, got y" })).toThrow(
      '/limit: expected integer, got string "x, got y"',
    );
  });

  it("pydantic is the registered schema of that name, else its JSON Schema, else unknown", async () => {
    const Mail = z.object({ text: z.string(), size: z.number().default(7) });
    const state = { type: "pydantic", ref: "my_project.state:Mail", json_schema: SCHEMA };
    expect(await stateOf(state, { text: "hi" }, { Mail })).toEqual({ text: "hi", size: 7 });
    expect(await stateOf(state, {}, { Mail })).toEqual({});
    expect(() => bound(state, { Mail }).checkKickoff({ text: 4 })).toThrow(
      "/text: expected string, got number 4",
    );
    expect(() => bound(state).checkKickoff({ topic: 4 })).toThrow("/topic: expected string");
    expect(refusals(flow({ type: "pydantic", ref: "my_project:Mail" }))).toEqual([
      '/state/ref: unknown schema "my_project:Mail"; registered: none',
    ]);
  });

  it.each([
    [{ type: "table" }, "/state/type: expected one of"],
    [{ type: "json_schema" }, "/state/jsonSchema: expected object"],
    [{ type: "dict", default: [1] }, "/state/default: expected object"],
    [{ type: "dict", json_schema: {} }, "/state/jsonSchema: is not a known field"],
  ])("%j is refused", (state, message) => {
    expect(refusals(flow(state as JsonObject)).join("\n")).toContain(message);
  });
});

function bound(state: JsonObject, schemas: Record<string, z.ZodType> = {}) {
  const made = flowFromDeclaration(flow(state), { registry: { schemas } });
  return { checkKickoff: (inputs: JsonObject) => made.checkKickoff(inputs) };
}

describe("an optional field of a JSON schema", () => {
  const optional = {
    type: "object",
    properties: {
      n: { type: "integer" },
      s: { type: "string" },
      o: {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "integer", default: 2 } },
      },
      list: { type: "array", items: { type: "object", properties: { x: { type: "number" } } } },
    },
    required: ["n"],
  };
  const state = { type: "json_schema", json_schema: optional };

  it("is null without a value, also further in, and has() finds it", async () => {
    expect(await stateOf(state, { n: 1 })).toEqual({ n: 1, s: null, o: null, list: null });
    expect(await stateOf(state, { n: 1, s: null, o: {}, list: [{}] })).toEqual({
      n: 1,
      s: null,
      o: { a: null, b: 2 },
      list: [{ x: null }],
    });
    const { output } = startDeclared(
      flow(state, "[has(state.s), state.s == null ? 'none' : state.s]"),
      { inputs: { n: 1 } },
    );
    expect((await output()).value).toEqual([true, "none"]);
  });

  it("is still refused with another type, and a required field may not be null", () => {
    const { checkKickoff } = bound(state);
    expect(() => checkKickoff({ n: 1, o: { a: null } })).not.toThrow();
    expect(() => checkKickoff({ n: 1, s: 5 })).toThrow("/s: expected string");
    expect(() => checkKickoff({ n: null })).toThrow("/n: expected integer");
  });
});
