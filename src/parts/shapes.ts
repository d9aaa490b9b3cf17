// Schemas inside the shapes of several parts.
import * as z from "zod";
import type { ErrorCode } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { Owned } from "./shape.ts";

export const time = () => z.iso.datetime().describe("ISO 8601, UTC");

/** A schema with the type that other code gives its values, such as narrower words. */
export const typed = <Type>(schema: z.ZodType) => schema as unknown as z.ZodType<Owned<Type>>;

/** An object of any fields in the document, with a type of other code. */
export const objectOf = <Type = JsonObject>() => typed<Type>(z.record(z.string(), z.unknown()));

/** Any text in the document, because words are added; here one of the words that code knows. */
export const wordOf = <Word extends string>() => typed<Word>(z.string());

export const errorRecord = () =>
  z.strictObject({
    code: wordOf<ErrorCode>(),
    message: z.string(),
    retryable: z.boolean(),
    failureCode: z.string().optional(),
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
