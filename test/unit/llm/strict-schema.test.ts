import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { isStrictAlready, strictSchema } from "../../../src/llm/strict-schema.ts";

function schemaOf(type: z.ZodType, io: "input" | "output" = "output"): JsonObject {
  return z.toJSONSchema(type, { io }) as JsonObject;
}

describe("strictSchema", () => {
  it("SOF1: closes objects and requires every property, at every depth; an optional one may be null", () => {
    const schema = schemaOf(
      z.object({ name: z.string().optional(), parts: z.array(z.object({ size: z.number() })) }),
      "input",
    );
    expect(strictSchema(schema)).toEqual({
      type: "object",
      properties: {
        name: { type: ["string", "null"] },
        parts: {
          type: "array",
          items: {
            type: "object",
            properties: { size: { type: "number" } },
            required: ["size"],
            additionalProperties: false,
          },
        },
      },
      required: ["name", "parts"],
      additionalProperties: false,
    });
  });

  it("inlines references and turns oneOf into anyOf", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        pet: { $ref: "#/$defs/Pet", description: "The pet." },
        other: { oneOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["pet", "other"],
      $defs: {
        Pet: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
    };
    expect(strictSchema(schema)?.["properties"]).toEqual({
      pet: {
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"],
        additionalProperties: false,
        description: "The pet.",
      },
      other: { anyOf: [{ type: "string" }, { type: "null" }] },
    });
  });

  it("keeps enforced formats, and describes the rest in words", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        day: { type: "string", format: "date" },
        code: { type: "string", format: "base64", minLength: 2, description: "A code." },
      },
      required: ["day", "code"],
    };
    expect(strictSchema(schema)?.["properties"]).toEqual({
      day: { type: "string", format: "date" },
      code: { type: "string", description: "A code. (minLength: 2)" },
    });
  });

  it.each([
    ["an open map", schemaOf(z.object({ map: z.record(z.string(), z.number()) }))],
    ["a value of any kind", schemaOf(z.object({ any: z.unknown() }))],
    ["a tuple", schemaOf(z.object({ pair: z.tuple([z.string(), z.number()]) }))],
    ["recursion", { type: "object", properties: { next: { $ref: "#" } } }],
    [
      "recursion by name",
      {
        type: "object",
        properties: { tree: { $ref: "#/$defs/T" } },
        $defs: { T: { type: "object", properties: { t: { $ref: "#/$defs/T" } } } },
      },
    ],
    ["a list at the root", schemaOf(z.array(z.string()))],
  ])("has no form for %s", (_, schema) => {
    expect(strictSchema(schema)).toBeUndefined();
  });

  it("converts a schema once", () => {
    const schema = schemaOf(z.object({ a: z.string() }));
    expect(strictSchema(schema)).toBe(strictSchema(schema));
  });
});

describe("isStrictAlready", () => {
  it("is true only without optional fields", () => {
    expect(isStrictAlready(schemaOf(z.object({ a: z.string() }), "input"))).toBe(true);
    expect(isStrictAlready(schemaOf(z.object({ a: z.string().default("x") }), "input"))).toBe(
      false,
    );
    expect(
      isStrictAlready(schemaOf(z.object({ a: z.object({ b: z.string().optional() }) }), "input")),
    ).toBe(false);
  });
});

describe("optional fields", () => {
  const schema = schemaOf(
    z.object({
      phone: z.string().describe("Their number.").optional(),
      mood: z.enum(["happy", "sad"]).optional(),
      size: z.union([z.string(), z.number()]).optional(),
      known: z.string().nullable().optional(),
      tags: z.array(z.string()).default([]),
      home: z.object({ city: z.string() }).optional(),
    }),
    "input",
  );
  const home = {
    type: ["object", "null"],
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  };

  it("SOF1: may be null when every property has to be there", () => {
    expect(strictSchema(schema)).toMatchObject({
      properties: {
        phone: { type: ["string", "null"], description: "Their number." },
        mood: { anyOf: [{ type: "string", enum: ["happy", "sad"] }, { type: "null" }] },
        size: { type: ["string", "number", "null"] },
        known: { type: ["string", "null"] },
        tags: { type: ["array", "null"], items: { type: "string" } },
        home,
      },
      required: ["phone", "mood", "size", "known", "tags", "home"],
    });
  });

  it("SOF1: stay optional when the wire allows it", () => {
    const strict = strictSchema(schema, "optional");
    expect(strict).toMatchObject({ properties: { phone: { type: "string" } }, required: [] });
    expect(strictSchema(schema, "optional")).toBe(strict);
    expect(strictSchema(schema)).toBe(strictSchema(schema));
  });
});
