import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkJsonSchema, validateJsonSchema } from "../../../src/base/json-schema.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { computedMs } from "../../support/computed-ms.ts";

const MAX_MS = 15_000; // without bounds it would be minutes, or never

function timed(work: () => unknown): number {
  const beganMs = computedMs();
  try {
    work();
  } catch {
    // refused: what counts is the time
  }
  return computedMs() - beganMs;
}

/** Each level refers to the next one twice. */
function doubling(levels: number, keyword: string): JsonObject {
  const $defs: Record<string, JsonObject> = { l0: { type: "string" } };
  for (let level = 1; level <= levels; level++) {
    const ref = { $ref: `#/$defs/l${level - 1}` };
    $defs[`l${level}`] = { [keyword]: [ref, ref] };
  }
  return { $ref: `#/$defs/l${levels}`, $defs };
}

describe("small schemas with much work", () => {
  it.each([
    ["^(a+)+$", `${"a".repeat(60)}!`],
    ["(x+x+)+y", "x".repeat(5_000)],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(5_000)],
    ["^(a|a)*$", `${"a".repeat(5_000)}!`],
    ["(.*a){20}", "b".repeat(20_000)],
    ["^([a-zA-Z0-9]+\\s?)*$", `${"a".repeat(30_000)}!`],
    ["((a?){500}){1}$", "a".repeat(20_000)],
  ])("JS2: the pattern %s runs in linear time", (pattern, text) => {
    const schemas: readonly [JsonObject, unknown][] = [
      [{ type: "string", pattern }, text],
      [{ patternProperties: { [pattern]: false } }, { [text]: 1 }],
      [{ propertyNames: { pattern } }, { [text]: 1 }],
    ];
    for (const [schema, value] of schemas)
      expect(timed(() => validateJsonSchema(schema, value))).toBeLessThan(MAX_MS);
  });

  it.each(["((a?){500}){1}$", "(?:[^b]?){700}b", "(?i)(?:[^b\\p{Lu}]?){90}b"])(
    "JS1: the pattern %s on a long text ends by the budget",
    (pattern) => {
      const check = (): unknown => validateJsonSchema({ pattern }, "a".repeat(1_000_000));
      const tooMuch = (): void => {
        expect(check).toThrow("too many steps");
      };
      expect(timed(tooMuch)).toBeLessThan(MAX_MS);
    },
  );

  it.each([
    "url",
    "uri",
    "uri-reference",
    "uri-template",
    "email",
    "hostname",
    "ipv6",
    "regex",
    "date-time",
    "json-pointer",
  ])("JS2: the format %s is checked in limited time", (format) => {
    for (const text of [
      `http://${"a".repeat(60)}`,
      `http://${"a-".repeat(30_000)}`,
      "a".repeat(100_000),
      `{${"a.".repeat(30_000)}`,
      "0:".repeat(30_000),
      `"${"\\a".repeat(30_000)}@`,
    ])
      expect(timed(() => validateJsonSchema({ format }, text))).toBeLessThan(MAX_MS);
  });

  it.each(["allOf", "anyOf", "oneOf"])(
    "26 levels of %s with two references each are refused",
    (keyword) => {
      const schema = doubling(26, keyword);
      expect(timed(() => checkJsonSchema(schema))).toBeLessThan(MAX_MS);
      expect(() => checkJsonSchema(schema)).toThrow(/more than 10000 checks of one value/);
      expect(() => validateJsonSchema(schema, "x")).toThrow(/JSON Schema cannot be used/);
      expect(validateJsonSchema(doubling(8, "allOf"), "x")).toEqual([]);
    },
  );

  it.each([
    [{ $ref: "#" }],
    [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    [{ allOf: [{ $ref: "#" }] }],
    [{ anyOf: [{ type: "string" }, { not: { $ref: "#" } }] }],
    [{ properties: { a: { if: false, else: { $ref: "#/properties/a" } } } }],
    [{ dependentSchemas: { a: { $ref: "#" } } }],
  ])("%j refers to itself, which the error explains", (schema) => {
    expect(() => checkJsonSchema(schema as JsonObject)).toThrow(/refers to itself without an end/);
    expect(() => validateJsonSchema(schema as JsonObject, { a: 1 })).not.toThrow(/call stack/);
  });

  it("a schema may refer to itself by way of properties and items", () => {
    const tree = {
      $defs: {
        node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/node" }, all: { items: { $ref: "#" } } },
          required: ["name"],
        },
      },
      $ref: "#/$defs/node",
    };
    checkJsonSchema(tree);
    expect(
      validateJsonSchema(tree, { name: 1, next: { name: 2, all: [{ name: 3 }, {}] } }),
    ).toEqual([{ path: "/next/all/1", message: 'expected a property "name", got {}' }]);
  });

  it("JS1: work grows with the value, and ends", () => {
    const wide = {
      items: { anyOf: Array.from({ length: 2_000 }, (_, index) => ({ const: index })) },
    };
    const many = Array.from({ length: 100_000 }, () => -1);
    expect(timed(() => validateJsonSchema(wide, many))).toBeLessThan(MAX_MS);
    expect(() => validateJsonSchema(wide, many)).toThrow(/too many steps/);
    const unique = { uniqueItems: true };
    expect(
      timed(() =>
        validateJsonSchema(
          unique,
          many.map((_, index) => index),
        ),
      ),
    ).toBeLessThan(MAX_MS);
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) as unknown;
    const into = { $defs: { a: { properties: { a: { $ref: "#/$defs/a" } } } }, $ref: "#/$defs/a" };
    expect(() => validateJsonSchema(into, deep)).toThrow(/levels deep/);
    const nested = JSON.parse(`${'{"not":'.repeat(2_000)}true${"}".repeat(2_000)}`) as JsonObject;
    expect(() => validateJsonSchema(nested, 1)).toThrow(/nested more than 200 deep/);
    const chain: Record<string, JsonObject> = {};
    for (let index = 0; index < 5_000; index++)
      chain[`d${index}`] = { $ref: `#/$defs/d${index + 1}` };
    expect(() => validateJsonSchema({ $ref: "#/$defs/d0", $defs: chain }, 1)).toThrow(
      /references follow|nothing is at/,
    );
  });

  it("large values of simple schemas are no fault", () => {
    const schema = {
      items: { type: "object", properties: { a: { type: "string", pattern: "^x" } } },
    };
    const rows = Array.from({ length: 50_000 }, () => ({ a: "xyz", b: [1, 2, 3] }));
    expect(validateJsonSchema(schema, rows)).toEqual([]);
    expect(
      validateJsonSchema({ type: "string", pattern: "b$" }, `${"a".repeat(500_000)}b`),
    ).toEqual([]);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is a name like others",
    (name) => {
      const value = JSON.parse(`{"${name}":1}`) as unknown;
      const schema = JSON.parse(
        `{"properties":{"${name}":{"type":"string"}},"required":["${name}"]}`,
      ) as JsonObject;
      expect(validateJsonSchema(schema, value)).toHaveLength(1);
      expect(validateJsonSchema(schema, {})).toEqual([
        { path: "", message: `expected a property "${name}", got {}` },
      ]);
      expect(validateJsonSchema({ additionalProperties: false }, value)).toHaveLength(1);
      expect(validateJsonSchema({ format: name }, "x")).toEqual([]);
      expect(validateJsonSchema({ type: name }, "x")).toHaveLength(1);
    },
  );
});

describe("patterns", () => {
  it.each([
    ["^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "a.b@c.de", "a b@c.de"],
    ["^\\d{4}-\\d{2}$", "2026-11", "26-11"],
    ["^\\u00e4\\u{1F600}$", "ä😀", "a"],
    ["\\uD83D\\uDE00", "x😀", "x"],
    ["^\\/a[\\-+]b\\/$", "/a-b/", "a-b"],
    ["^[\\u0041-\\u005A]+$", "ABC", "abc"],
    ["^(?<year>\\d+)$", "12", "x"],
    ["^\\p{L}+$", "größe", "1"],
    ["^(?:a|b)*?c$", "abac", "abad"],
    ["^\\\\u0041$", "\\u0041", "A"],
  ])("%s has its meaning of JavaScript", (pattern, good, bad) => {
    expect(new RegExp(pattern, "u").test(good)).toBe(true);
    checkJsonSchema({ pattern });
    expect(validateJsonSchema({ pattern }, good)).toEqual([]);
    expect(validateJsonSchema({ pattern }, bad)).toHaveLength(1);
  });

  it.each(["(?=a)b", "(a)\\1", "(?<!x)y", "(", `a{1,5000}`, "a".repeat(5_000)])(
    "a schema with the pattern %s is not stored",
    (pattern) => {
      for (const schema of [
        { pattern },
        { items: { pattern } },
        { patternProperties: { [pattern]: {} } },
      ])
        expect(() => checkJsonSchema(schema)).toThrow(/JSON Schema cannot be used: pattern/);
      checkJsonSchema({ enum: [{ pattern }], default: { pattern } });
    },
  );

  it("JS2: a schema of the code with look-around is used without it", () => {
    const pin = z
      .string()
      .min(4)
      .regex(/^(?=.*\d)(?!.*\s)/);
    const schema = z.toJSONSchema(z.object({ pin, mail: z.email() })) as JsonObject;
    expect(validateJsonSchema(schema, { pin: "abcd", mail: "a@b.de" })).toEqual([]);
    const faults = validateJsonSchema(schema, { pin: "a", mail: "nobody" });
    expect(new Set(faults.map(({ path }) => path))).toEqual(new Set(["/pin", "/mail"]));
  });
});

describe("keywords", () => {
  it.each<[JsonObject, unknown, string]>([
    [{ unevaluatedProperties: false, properties: { a: {} } }, { b: 1 }, "/b"],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 1 }, "/b"],
    [{ prefixItems: [{}], unevaluatedItems: { type: "string" } }, [1, 2], "/1"],
    [
      { $schema: "http://json-schema.org/draft-07/schema#", items: [{}], additionalItems: false },
      [1, 2],
      "/1",
    ],
    [
      { $schema: "http://json-schema.org/draft-04/schema#", minimum: 3, exclusiveMinimum: true },
      3,
      "",
    ],
    [
      { $defs: { a: { $anchor: "x", type: "string" } }, properties: { p: { $ref: "#x" } } },
      { p: 1 },
      "/p",
    ],
    [{ contains: { type: "string" }, maxContains: 1 }, ["a", "b"], ""],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, ""],
    [{ properties: { "a/b~c": { type: "string" } } }, { "a/b~c": 1 }, "/a~1b~0c"],
  ])("%j finds its fault in %j", (schema, value, path) => {
    expect(validateJsonSchema(schema, value).map((issue) => issue.path)).toEqual([path]);
  });
});
