import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";
import type { Part } from "../../parts/part.ts";
import { OF_ANY_KIND } from "../../parts/run-shapes.ts";
import { anyKind } from "../run-kind-schemas.ts";

/** Returns a schema in the document's form, for an app of these parts. */
export function plainSchema(
  schema: z.ZodType,
  io: "input" | "output",
  parts: readonly Part[] = [],
): JsonObject {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // These limits apply to requests only.
      if (io === "output") {
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      }
      // The format is enough. Zod's pattern for a time is longer than the rest of the schema.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      const end = jsonSchema[OF_ANY_KIND];
      if (end === undefined) return;
      delete jsonSchema[OF_ANY_KIND];
      Object.assign(jsonSchema, anyKind(parts, end as "Input" | "Output"));
    },
  });
  return JSON.parse(JSON.stringify(plain)) as JsonObject;
}
