import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.ts";
import { checkJsonSchema, validateJsonSchema } from "../../../src/base/json-schema.ts";

const TEXT = { type: "string" };

/** True when the schema that `$ref` leads to is one of texts. */
function leadsToText($ref: string, more: JsonObject): boolean {
  const schema = { ...more, properties: { p: { $ref } } };
  return (
    validateJsonSchema(schema, { p: 1 }).length > 0 &&
    validateJsonSchema(schema, { p: "" }).length === 0
  );
}

describe("references of JSON Schemas", () => {
  it.each<[string, JsonObject]>([
    ["#/$defs/a", { $defs: { a: TEXT } }],
    ["#/definitions/a", { definitions: { a: TEXT } }],
    ["#/$defs/a~1b", { $defs: { "a/b": TEXT } }],
    ["#/$defs/a%20b", { $defs: { "a b": TEXT } }],
    ["#/$defs/a%25b", { $defs: { "a%b": TEXT } }],
    ["#/$defs/%C3%A9", { $defs: { é: TEXT } }],
    ["#/$defs/é", { $defs: { é: TEXT } }],
    ["#/allOf/0/not", { allOf: [{ not: TEXT }, {}] }],
    ["#/dependencies/id", { dependencies: { id: TEXT } }],
    ["#/x/y", { x: { y: TEXT } }],
    ["#a", { $defs: { x: { $anchor: "a", ...TEXT } } }],
    ["#a", { $defs: { x: { $id: "#a", ...TEXT } } }],
    ["b.json", { $defs: { x: { $id: "b.json", ...TEXT } } }],
    ["b.json#/$defs/y", { $defs: { x: { $id: "b.json", $defs: { y: TEXT } } } }],
    ["b.json#a", { $defs: { x: { $id: "b.json", $defs: { y: { $anchor: "a", ...TEXT } } } } }],
    ["https://h/s.json#/$defs/a", { $id: "https://h/s.json", $defs: { a: TEXT } }],
    ["s.json", { $id: "https://h/a.json", $defs: { x: { $id: "https://h/s.json", ...TEXT } } }],
    ["#/$defs/x/$defs/y", { $defs: { x: { $id: "b.json", $defs: { y: TEXT } } } }],
    ["b.json", { $defs: { x: { $id: "b.json", $ref: "#/$defs/y", $defs: { y: TEXT } } } }],
  ])("%s is found in %j", ($ref, more) => {
    expect(leadsToText($ref, more)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["#/$defs/b", { $defs: { a: TEXT } }],
    ["#/default", { default: TEXT }],
    ["#/const", { const: TEXT }],
    ["#/enum/0", { enum: [TEXT] }],
    ["#b", { $defs: { x: { $anchor: "a", ...TEXT } } }],
    ["c.json", { $defs: { x: { $id: "b.json", ...TEXT } } }],
  ])("%s is not found in %j", ($ref, more) => {
    expect(() => leadsToText($ref, more)).toThrow(/nothing is at \$ref/);
  });

  it("refuses two schemas with one address, and addresses that are none", () => {
    const twice = { $defs: { a: { $id: "b.json" }, b: { $id: "b.json", type: "string" } } };
    expect(() => checkJsonSchema(twice)).toThrow(/two schemas have the address .*b\.json/);
    expect(() => checkJsonSchema({ $id: "https://" })).toThrow(/the JSON Schema cannot be used/);
  });
});
