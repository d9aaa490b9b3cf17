import * as z from "zod";
import { shape } from "./shape.ts";
import { issue } from "./shapes.ts";

/** The shape of problems: application/problem+json. */
export const problemShape = shape("Problem", () =>
  z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string(),
    code: z.string(),
    errors: z.array(issue()).optional(),
    version: z
      .number()
      .nullable()
      .optional()
      .describe("Of `precondition_failed`: the present version, null where there is none"),
    quota: z.string().optional().describe("Of `quota_exceeded`: which one"),
    limit: z.number().optional().describe("Of `quota_exceeded`: how much it allows"),
    used: z.number().optional().describe("Of `quota_exceeded`: how much is used"),
    resetsAt: z.string().optional().describe("Of `quota_exceeded`: when it begins again"),
  }),
);
