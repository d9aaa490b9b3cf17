// Schemas of answers shared by several parts. Created with the API document, their only user.
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

/** Usage of model calls. */
export const usage = () =>
  z.strictObject({
    promptTokens: z.number(),
    cachedPromptTokens: z.number(),
    cacheCreationTokens: z.number(),
    completionTokens: z.number(),
    reasoningTokens: z.number(),
    totalTokens: z.number(),
    requests: z.number(),
    costUsd: z.number().describe("0 for models of unknown price"),
  });
