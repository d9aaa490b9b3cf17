// Random JSON schemas of states, and inputs that fit them, nearly fit them or do not.
import { unreachable } from "../../../src/base/error.ts";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import type { Random } from "../support/random.ts";

const NAMES = ["a", "b", "c", "d", "topic", "limit"] as const;
const KINDS = ["string", "integer", "number", "boolean", "enum", "list", "object"] as const;
type FieldKind = (typeof KINDS)[number];

type Field = { readonly kind: FieldKind; readonly schema: JsonObject };

/** A flow over a random schema, and inputs for it. */
export function randomInputs(random: Random): {
  readonly schema: JsonObject;
  readonly inputs: JsonObject;
} {
  const names = NAMES.filter(() => random.chance(0.6));
  const fields = new Map(names.map((name) => [name, randomField(random, 0)]));
  const properties = Object.fromEntries([...fields].map(([name, { schema }]) => [name, schema]));
  const required = names.filter(
    (name) => properties[name]?.["default"] === undefined && random.chance(0.35),
  );
  const inputs: Record<string, JsonValue> = {};
  for (const [name, { kind }] of fields)
    if (required.includes(name) ? random.chance(0.96) : random.chance(0.6))
      inputs[name] = valueFor(random, kind);
  if (random.chance(0.04)) inputs["stranger"] = 1;
  return {
    schema: { type: "object", properties, ...(required.length === 0 ? undefined : { required }) },
    inputs,
  };
}

function randomField(random: Random, depth: number): Field {
  const kind = random.pick(depth > 0 ? KINDS.slice(0, 5) : KINDS);
  const schema = schemaOf(random, kind, depth);
  return {
    kind,
    schema: random.chance(0.2) ? { ...schema, default: fitting(random, kind) } : schema,
  };
}

function schemaOf(random: Random, kind: FieldKind, depth: number): JsonObject {
  switch (kind) {
    case "enum":
      return { type: "string", enum: ["x", "y"] };
    case "list":
      return { type: "array", items: { type: "integer" } };
    case "object":
      return {
        type: "object",
        properties: { x: { type: "integer" }, y: randomField(random, depth + 1).schema },
        ...(random.chance(0.4) ? { required: ["x"] } : undefined),
      };
    default:
      return { type: kind };
  }
}

function fitting(random: Random, kind: FieldKind): JsonValue {
  switch (kind) {
    case "string":
      return random.pick(["tea", "", "5", "true"]);
    case "integer":
      return random.below(10);
    case "number":
      return random.pick([1.5, 2, 0, -3.25]);
    case "boolean":
      return random.chance(0.5);
    case "enum":
      return random.pick(["x", "y"]);
    case "list":
      return [1, 2].slice(0, random.below(3));
    case "object":
      return random.pick<JsonValue>([{ x: 1 }, { x: 2 }, {}]);
    default:
      return unreachable(kind);
  }
}

const ODD: readonly JsonValue[] = [
  "5",
  "2.5",
  "x",
  "true",
  "c",
  1,
  0,
  1.5,
  7,
  true,
  null,
  [],
  ["1"],
  {},
  [1, "a"],
];

function valueFor(random: Random, kind: FieldKind): JsonValue {
  return random.chance(0.15) ? random.pick(ODD) : fitting(random, kind);
}
