import { describe, expect, it } from "vitest";
import { schemaFaults } from "../../../src/base/json-schema-form.ts";
import type { JsonObject } from "../../../src/base/json.ts";

function faults(schema: unknown): readonly string[] {
  return schemaFaults(schema as JsonObject).map(({ path, message }) => `${path} ${message}`);
}

const object = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  ...more,
});

describe("the faults of a JSON Schema", () => {
  it("are empty for schemas written by pydantic and zod", () => {
    const point = object({ text: { type: "string", minLength: 1 } }, { required: ["text"] });
    const schema = object(
      {
        points: { type: "array", items: { $ref: "#/$defs/Point" }, default: [] },
        mood: { anyOf: [{ enum: ["good", "bad"] }, { type: "null" }], default: null },
        pair: { type: "array", prefixItems: [{ type: "number" }, true], items: false },
        names: { type: ["string", "null"], title: "Names", examples: [1] },
        rest: { type: "object", additionalProperties: { type: "integer", exclusiveMinimum: 0 } },
        // Names of people's own, which are no keywords.
        type: { type: "string" },
        required: { const: 1 },
      },
      {
        $defs: { Point: point },
        title: "Report",
        $schema: "https://json-schema.org/draft/2020-12/schema",
      },
    );
    expect(faults(schema)).toEqual([]);
    expect(
      faults({ $ref: "#/$defs/Node", $defs: { Node: object({ next: { $ref: "#/$defs/Node" } }) } }),
    ).toEqual([]);
  });

  it.each([
    [
      "JSF1: an unknown type",
      object({ a: { type: "text" } }),
      /^\/properties\/a\/type expected one of string.*"text"/,
    ],
    [
      "JSF1: fields as they stand in Python",
      object({ a: "str" }),
      /^\/properties\/a expected a schema, got "str"/,
    ],
    [
      "JSF1: a list in place of fields",
      { type: "object", properties: ["a"] },
      /^\/properties expected a mapping/,
    ],
    [
      "JSF1: `required` of a field",
      object({ a: { type: "string", required: true } }),
      /^\/properties\/a\/required expected a list of texts/,
    ],
    [
      "JSF1: a bound as text, below items",
      { type: "array", items: { anyOf: [{ type: "number", minimum: "1" }] } },
      /^\/items\/anyOf\/0\/minimum expected a number/,
    ],
    ["JSF1: no alternatives", { anyOf: [] }, /^\/anyOf expected a list of schemas/],
    ["JSF1: a pattern without linear time", { type: "string", pattern: "(?=a)b" }, /linear time/],
    [
      "JSF2: an address",
      { $ref: "https://example.com/report.json" },
      /^\/\$ref expected a reference within the schema/,
    ],
    [
      "JSF2: a file",
      object({ a: { $ref: "file:///etc/passwd" } }),
      /^\/properties\/a\/\$ref expected a reference within/,
    ],
    ["JSF2: a dangling reference", object({ a: { $ref: "#/$defs/None" } }), /nothing is at \$ref/],
    ["JSF2: a reference to itself", { $ref: "#" }, /refers to itself without an end/],
    [
      "JSF1: a dynamic reference",
      object({ a: { $dynamicRef: "#x" } }),
      /^\/properties\/a\/\$dynamicRef expected no such keyword/,
    ],
    [
      "JSF3: fields without a schema around them",
      { title: "str", body: "str" },
      /^ expected a JSON Schema/,
    ],
    ["JSF3: an empty schema", {}, /^ expected a JSON Schema/],
    [
      "more than providers take",
      { enum: ["x".repeat(100_000)] },
      /^ expected at most 100000 characters/,
    ],
  ])("%s", (_, schema, fault) => {
    expect(faults(schema)).toEqual([expect.stringMatching(fault)]);
  });

  it("are found in bounded time when definitions multiply each other", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `d${index}`,
        { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    const schema = { $ref: "#/$defs/d0", $defs: { ...$defs, d60: { type: "string" } } };
    expect(faults(schema)).toEqual([expect.stringMatching(/more than 10000 checks/)]);
    let deep: object = { type: "string" };
    for (let depth = 0; depth < 5000; depth += 1) deep = { not: deep };
    expect(faults(deep)[0]).toMatch(/nested more than 200 deep/);
  });
});
