import * as z from "zod";
import type { JsonObject } from "../../base/json.ts";

/** Returns a schema in the document's form. */
export function plainSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
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
    },
  });
  return JSON.parse(JSON.stringify(plain)) as JsonObject;
}
