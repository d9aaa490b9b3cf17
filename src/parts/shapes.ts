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

/** What model calls consumed. */
export const usage = () =>
  z.strictObject({
    promptTokens: z.number(),
    cachedPromptTokens: z.number(),
    cacheCreationTokens: z.number(),
    completionTokens: z.number(),
    reasoningTokens: z.number(),
    totalTokens: z.number(),
    requests: z.number(),
    costUsd: z.number().describe("0 for models whose price is not known"),
  });
