// Inputs and outputs of an agent's run in the API document. Tests check real outputs against these shapes.
import * as z from "zod";
import type { RunSchemas } from "../../parts/part.ts";
import { usage } from "../../parts/shapes.ts";

export function agentRun(): RunSchemas {
  const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
  return {
    input: z.strictObject({
      messages: z.union([
        z.string(),
        z.array(z.looseObject({ role: z.enum(["system", "user", "assistant"]), content })),
      ]),
      inputs: z.record(z.string(), z.unknown()).optional(),
    }),
    output: z.strictObject({
      raw: z.string(),
      object: z.unknown().optional().describe("The answer as data, where a shape was asked for"),
      agentRole: z.string(),
      finishReason: finishReason(),
      usage: usage(),
      messages: z
        .array(z.looseObject({ role: z.string(), content }))
        .optional()
        .describe("The conversation that led to the answer, unless it is very long"),
      plan: z.string().optional(),
      todos: z.array(z.looseObject({ stepNumber: z.number(), status: z.string() })).optional(),
      replanCount: z.number(),
      lastReplanReason: z.string().optional(),
      ...toolAccounts(),
      toolFailures: toolFailures().optional(),
    }),
  };
}

/** Why a model ended its answer. */
export const finishReason = () =>
  z
    .enum(["stop", "tool_calls", "length", "content_filter", "no_answer", "other"])
    .optional()
    .describe(
      "Why the model ended the answer: `length` if a limit cut it, `tool_calls` if a tool gave it",
    );

/** Sources and costs of tools. */
export const toolAccounts = () => ({
  sources: z
    .array(
      z.strictObject({
        url: z.string(),
        title: z.string().optional(),
        date: z.string().optional(),
        snippet: z.string().optional(),
      }),
    )
    .optional()
    .describe("What the results of tools were taken from, each once"),
  toolUsage: z
    .record(
      z.string(),
      z.strictObject({
        calls: z.number(),
        failures: z.number(),
        credits: z.number().optional(),
        usd: z.number().optional(),
      }),
    )
    .optional()
    .describe("Calls of tools that ask services, by name"),
});

/** Failures of tools. */
export const toolFailures = () =>
  z.array(
    z.strictObject({
      toolName: z.string(),
      failure: z.looseObject({ message: z.string(), reason: z.string(), retryable: z.boolean() }),
      toolArgs: z.union([z.record(z.string(), z.unknown()), z.string()]),
      agentRole: z.string(),
      taskName: z.string().optional(),
    }),
  );
