import { expect, it } from "vitest";
import type { JsonSchema } from "../../../../console/api-types.ts";
import {
  checkValue,
  fieldKind,
  hasField,
  schemaOfNames,
  startValue,
  withoutNull,
  withoutSecrets,
} from "../../../../console/parts/form-fields.ts";
import { kickoffBody, kickoffSchema } from "../../../../console/pages/definitions/kickoff-form.ts";

const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});

it("chooses the field of each kind of schema (CO19)", () => {
  const kinds: readonly (readonly [JsonSchema, string, string])[] = [
    [{ type: "string" }, "name", "text"],
    [{ type: "string", maxLength: 5000 }, "name", "long"],
    [{ type: "string" }, "mail", "long"],
    [{}, "topic", "text"],
    [{}, "log", "long"],
    [{ enum: ["a", "b"] }, "x", "choice"],
    [{ type: "integer", minimum: 1 }, "x", "number"],
    [{ type: ["number", "null"] }, "x", "number"],
    [{ type: "boolean" }, "x", "boolean"],
    [{ type: "string", format: "date" }, "x", "date"],
    [{ type: "string", format: "uri" }, "x", "uri"],
    [{ type: "array", items: { type: "string" } }, "x", "list"],
    [{ type: "array", items: object({ a: { type: "string" } }) }, "x", "rows"],
    [object({ a: { type: "string" } }), "x", "object"],
    [{ type: "object" }, "x", "json"],
    [
      { oneOf: [object({ kind: { const: "a" } }), object({ kind: { const: "b" } })] },
      "x",
      "variants",
    ],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "x", "json"],
    [{ "x-edgecrew": "file" }, "x", "file"],
    [{ $ref: "#/x" }, "x", "json"],
  ];
  expect(kinds.map(([schema, name]) => fieldKind(schema, name))).toEqual(
    kinds.map(([, , kind]) => kind),
  );
});

it("fills in defaults, also below", () => {
  const schema = object({
    topic: { default: "tea" },
    limits: object({ most: { type: "integer", default: 3 } }),
    other: { type: "string" },
  });
  expect(startValue(schema)).toEqual({ topic: "tea", limits: { most: 3 } });
  expect(startValue(schemaOfNames(["log"]))).toBeUndefined();
});

it("reports each fault at its place (CO19)", () => {
  const schema = object(
    {
      name: { type: "string", minLength: 2 },
      age: { type: "integer", maximum: 120 },
      tags: { type: "array", items: { enum: ["a"] } },
      "a/b": { type: "string", format: "email" },
    },
    ["name", "mail"],
  );
  expect(checkValue(schema, { age: 130.5, tags: ["a", "b"], "a/b": "nobody" })).toEqual([
    { path: "/name", message: "This is needed" },
    { path: "/mail", message: "This is needed" },
    { path: "/age", message: "This must be a whole number" },
    { path: "/tags/1", message: "Choose one of the values" },
    { path: "/a~1b", message: "This is no mail address" },
  ]);
  expect(checkValue(schema, { name: "Ada", mail: 1 })).toEqual([]);
});

it("drops the value of a write-only field", () => {
  const schema = object({ topic: { type: "string" }, key: { type: "string", writeOnly: true } });
  expect(withoutSecrets(schema, { topic: "tea", key: "s" })).toEqual({ topic: "tea" });
});

it("asks an agent for a message beside its inputs, and a crew for inputs alone", () => {
  const agent = kickoffSchema("agent", { name: "clerk", inputs: ["shop"] });
  expect(Object.keys(agent["properties"] as object)).toEqual(["messages", "inputs"]);
  expect(kickoffBody("agent", { messages: "hi", inputs: { shop: "x" } }, undefined)).toEqual({
    messages: "hi",
    inputs: { shop: "x" },
    stream: true,
  });
  expect(kickoffBody("crew", { topic: "tea" }, { id: "one", tags: ["a", "b"] })).toEqual({
    inputs: { topic: "tea" },
    id: "one",
    tags: ["a", "b"],
    stream: true,
  });
});

it("reads nullable fields without null, and checks the chosen variant (CO19)", () => {
  const schema: JsonSchema = {
    title: "Name",
    anyOf: [{ type: "string", maxLength: 2 }, { type: "null" }],
  };
  expect(withoutNull(schema)).toEqual({ title: "Name", type: "string", maxLength: 2 });
  expect(fieldKind(schema, "name")).toBe("text");
  expect(checkValue(schema, "abc")).toHaveLength(1);
  const way: JsonSchema = {
    oneOf: [
      object({ kind: { const: "train" }, seat: { type: "string" } }, ["kind"]),
      object({ kind: { const: "car" }, plate: { type: "string" } }, ["kind", "plate"]),
    ],
  };
  expect(checkValue(way, { kind: "train" })).toEqual([]);
  expect(checkValue(way, { kind: "car" })).toEqual([{ path: "/plate", message: "This is needed" }]);
});

it("detects faults with a field, so all others are shown above the form (CO19)", () => {
  const schema = object({
    city: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    stops: { type: "array", items: object({ place: { type: "string" } }) },
  });
  expect(["/city", "/tags/0", "/stops/1/place"].map((path) => hasField(schema, path))).toEqual([
    true,
    true,
    true,
  ]);
  expect(["", "/town", "/stops/1/town"].map((path) => hasField(schema, path))).toEqual([
    false,
    false,
    false,
  ]);
});
