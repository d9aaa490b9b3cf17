import { describe, expect, it } from "vitest";
import * as z from "zod";
import { validateJsonSchema } from "../../../src/base/json-schema.ts";
import { toParameters } from "../../../src/tools/json-schema.ts";

describe("toParameters", () => {
  it("describes a caller's input of a zod schema, without noise", () => {
    const schema = z.object({
      query: z.string().describe("What to look for"),
      limit: z.number().int().max(20).default(5),
      when: z.string().optional(),
      length: z.string().transform((text) => text.length),
    });
    expect(toParameters(schema)).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for" },
        limit: { type: "integer", maximum: 20, default: 5 },
        when: { type: "string" },
        length: { type: "string" },
      },
      required: ["query", "length"],
    });
  });

  it("passes a JSON Schema on without $schema, and leaves the original unchanged", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { type: "string" } },
    };
    expect(toParameters(schema)).toEqual({ type: "object", properties: { a: { type: "string" } } });
    expect(schema.$schema).toBeDefined();
  });

  it("makes an object of empty schemas", () => {
    expect(toParameters({})).toEqual({ type: "object", properties: {} });
    expect(toParameters({ type: "object" })).toEqual({ type: "object", properties: {} });
    expect(toParameters({ properties: { a: true } })).toEqual({
      type: "object",
      properties: { a: true },
    });
  });

  it("refuses schemas of other things than objects, and those without a JSON Schema", () => {
    expect(() => toParameters(z.string())).toThrow(
      /must be the schema of one object.*got \{"type":"string"\}/,
    );
    expect(() => toParameters({ type: "array" })).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
    expect(() => toParameters(z.object({ at: z.date() }))).toThrow(/no JSON Schema.*Date/);
  });
});

describe("validateJsonSchema", () => {
  const schema = {
    type: "object",
    properties: {
      query: { type: "string", minLength: 2 },
      limit: { type: "integer", minimum: 1, maximum: 20 },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" }, maxItems: 2 },
      "a/b": { type: "string" },
      node: { $ref: "#/$defs/node" },
    },
    required: ["query"],
    additionalProperties: false,
    $defs: {
      node: {
        type: "object",
        properties: { name: { type: "string", maxLength: 3 }, next: { $ref: "#/$defs/node" } },
      },
    },
  };

  it("returns no fault for a valid value", () => {
    expect(
      validateJsonSchema(schema, {
        query: "xy",
        limit: 3,
        kind: "a",
        tags: ["x"],
        node: { next: { name: "abc" } },
      }),
    ).toEqual([]);
  });

  it.each<[string, unknown, string, string]>([
    ["a missing property", {}, "", 'expected a property "query", got {}'],
    ["a wrong type", { query: 5 }, "/query", "expected string, got 5"],
    ["a text too short", { query: "x" }, "/query", 'expected at least 2 characters, got "x"'],
    ["a number too large", { query: "xy", limit: 21 }, "/limit", "expected at most 20, got 21"],
    [
      "a value outside an enum",
      { query: "xy", kind: "c" },
      "/kind",
      'expected one of "a", "b", got "c"',
    ],
    ["an item", { query: "xy", tags: ["x", 1] }, "/tags/1", "expected string, got 1"],
    [
      "too many items",
      { query: "xy", tags: ["x", "y", "z"] },
      "/tags",
      'expected at most 2 items, got ["x","y","z"]',
    ],
    ["an unknown field", { query: "xy", other: 1 }, "/other", "expected no such field, got 1"],
    ["a key with a slash", { query: "xy", "a/b": 1 }, "/a~1b", "expected string, got 1"],
    [
      "a field behind references",
      { query: "xy", node: { next: { name: "long" } } },
      "/node/next/name",
      'expected at most 3 characters, got "long"',
    ],
    ["another kind of value", [], "", "expected object, got []"],
  ])("names place, rule and value of %s", (...[, value, path, message]) => {
    expect(validateJsonSchema(schema, value)).toEqual([{ path, message }]);
  });

  it("speaks of alternatives", () => {
    const issues = validateJsonSchema({ anyOf: [{ type: "string" }, { type: "null" }] }, 5);
    expect(issues[0]).toEqual({
      path: "",
      message: "expected at least one of 2 alternatives to fit, got 5",
    });
  });

  it("takes draft 7 by its name, and frozen schemas", () => {
    const draft7 = Object.freeze({
      $schema: "http://json-schema.org/draft-07/schema#",
      items: [{ type: "string" }],
      additionalItems: false,
    });
    expect(validateJsonSchema(draft7, ["x"])).toEqual([]);
    expect(validateJsonSchema(draft7, ["x", 1])).toHaveLength(1);
  });

  it("refuses invalid schemas, and undefined values", () => {
    expect(() => validateJsonSchema({ $ref: "#/nowhere" }, 1)).toThrow(
      expect.objectContaining({ code: "invalid_definition" }),
    );
    expect(() => validateJsonSchema({ type: "string", pattern: "(" }, "x")).toThrow(
      /JSON Schema cannot be used/,
    );
    expect(validateJsonSchema({}, undefined)).toEqual([
      { path: "", message: "expected a value, got nothing" },
    ]);
  });

  it("reports at most 20 fields", () => {
    expect(
      validateJsonSchema(
        { items: { type: "string" } },
        Array.from({ length: 50 }, () => 1),
      ),
    ).toHaveLength(20);
  });
});
