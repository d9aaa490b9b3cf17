// The schemas of answers about crews. Tests hold real answers against these.
import * as z from "zod";
import { errorRecord, time } from "../../parts/shapes.ts";

export function crewShapes() {
  const crew = {
    name: z.string(),
    source: z.enum(["code", "stored"]),
    process: z.enum(["sequential", "hierarchical"]),
    agents: z.array(z.strictObject({ role: z.string(), goal: z.string() })),
    tasks: z.array(
      z.strictObject({ name: z.string(), description: z.string(), agent: z.string() }),
    ),
    inputs: z.array(z.string()).describe("What a run needs"),
    warnings: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .optional()
      .describe("What a stored crew goes without here, each with what to do"),
    error: errorRecord().optional().describe("Why a stored crew cannot run any more"),
  };
  return {
    Crew: z.strictObject(crew),
    CrewDetails: z.strictObject({
      ...crew,
      definition: z.record(z.string(), z.unknown()).optional().describe("What was stored"),
      inputSchema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("JSON Schema of the inputs, for a crew that has one"),
      outputSchema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("JSON Schema of `object` in the output of a crew of the code"),
    }),
    Training: training(),
    Evaluation: z.strictObject({
      runId: z.string(),
      evalModel: z.string(),
      report: testReport(),
      createdAt: time(),
    }),
  } as const;
}

export const training = () =>
  z.strictObject({
    name: z.string(),
    agents: z
      .record(
        z.string(),
        z.strictObject({
          suggestions: z.array(z.string()),
          quality: z.number().describe("0 to 10"),
          finalSummary: z.string(),
        }),
      )
      .describe("By the agents' roles"),
  });

export function testReport() {
  const score = z.number().nullable();
  return z.strictObject({
    tasks: z.array(
      z.strictObject({
        name: z.string(),
        agents: z.array(z.string()),
        scores: z
          .array(score)
          .describe("1 to 10, one for each run; null where the task gave no output"),
        average: score,
      }),
    ),
    crew: z.strictObject({ scores: z.array(score), average: score }),
    seconds: z.strictObject({ runs: z.array(z.number()), average: z.number() }),
    evalModel: z.string(),
  });
}
