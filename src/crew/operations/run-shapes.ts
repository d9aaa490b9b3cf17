// The inputs and outputs of crews' runs in the API document. Tests hold real outputs against this.
import * as z from "zod";
import { finishReason, toolAccounts, toolFailures } from "../../agent/operations/run-shapes.ts";
import type { RunSchemas } from "../../parts/part.ts";
import { errorRecord, usage } from "../../parts/shapes.ts";
import { testReport, training } from "./shapes.ts";

export function crewRun(): RunSchemas {
  const chatReply = z.strictObject({
    raw: z.string(),
    message: z.strictObject({ role: z.literal("assistant"), content: z.string() }),
  });
  return {
    input: inputs(),
    output: z
      .union([
        z.strictObject({
          ...answer(),
          tasks: z.array(taskOutput()),
          usage: usage(),
          ...toolAccounts(),
          toolFailures: toolFailures().optional(),
        }),
        training(),
        testReport(),
        chatReply,
      ])
      .describe("Of a kickoff; of a training, a test or a chat where `entry` says so"),
  };
}

export function batchRun(): RunSchemas {
  return {
    input: z.strictObject({ inputs: z.array(inputs()), timeoutMs: z.number().optional() }),
    output: z.strictObject({
      items: z.array(
        z.strictObject({
          index: z.number().describe("Place among the inputs, from 0"),
          status: z.enum(["completed", "failed", "cancelled"]),
          runId: z.string().optional(),
          output: z.strictObject(answer()).optional(),
          omitted: z.literal(true).optional().describe("The output is read from the run"),
          error: errorRecord().optional(),
        }),
      ),
      usage: usage(),
    }),
  };
}

/** Some asynchronous tasks of a crew, as a child run. */
export function taskRun(): RunSchemas {
  return {
    input: inputs(),
    output: z.strictObject({
      parts: z
        .array(
          z.union([
            z.strictObject({ value: taskOutput() }),
            z.strictObject({ error: errorRecord() }),
          ]),
        )
        .describe("One for each task, in their order"),
    }),
  };
}

const inputs = () => z.record(z.string(), z.unknown());

const answer = () => ({
  raw: z.string(),
  object: z.unknown().optional().describe("As the output schema of the task describes it"),
  finishReason: finishReason(),
});

const taskOutput = () =>
  z.strictObject({
    ...answer(),
    name: z.string(),
    description: z.string(),
    expectedOutput: z.string(),
    summary: z.string(),
    agent: z.string(),
    skipped: z.literal(true).optional(),
    outputFormat: z.enum(["raw", "json"]),
    humanFeedback: z.string().optional(),
    usage: usage(),
    processedByAgents: z.array(z.string()),
    delegations: z.number(),
    usedTools: z.number(),
    toolsErrors: z.number(),
    ...toolAccounts(),
    toolFailures: toolFailures().optional(),
    trained: z
      .strictObject({
        initialOutput: z.string(),
        humanFeedback: z.string(),
        improvedOutput: z.string(),
      })
      .optional()
      .describe("While the crew is trained"),
    durationMs: z.number().optional().describe("While the crew is tested"),
  });
