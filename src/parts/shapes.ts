// Schemas of answers that several parts share. Made when the API document is asked for: nothing else needs them.
import * as z from "zod";

export const time = () => z.iso.datetime().describe("ISO 8601, UTC");

export const errorRecord = () =>
  z.strictObject({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    issues: z.array(issue()).optional(),
  });

export const issue = () =>
  z.strictObject({ path: z.string().describe("JSON pointer"), message: z.string() });

export const runStatus = () =>
  z.enum(["queued", "running", "waiting", "completed", "failed", "cancelled"]);
