// The schemas of answers about crews. Tests hold real answers against these.
import * as z from "zod";
import { definitionShapes } from "../../parts/definition-shapes.ts";
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
      agents: z.array(agentInFull()),
      tasks: z.array(taskInFull()),
      version: z.number().optional().describe("Of a stored crew"),
      definition: z.record(z.string(), z.unknown()).optional().describe("What was stored"),
      inputSchema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          "JSON Schema of the inputs; made of the texts' placeholders for a crew without one",
        ),
      outputSchema: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("JSON Schema of `object` in the output, where the last task has one"),
    }),
    ...definitionShapes(),
    Training: training(),
    TrainingSummary: z.strictObject({
      name: z.string(),
      quality: z.record(z.string(), z.number()).describe("0 to 10, by the agents' roles"),
      updatedAt: time(),
    }),
    Evaluation: z.strictObject({
      runId: z.string(),
      evalModel: z.string(),
      report: testReport(),
      createdAt: time(),
    }),
  } as const;
}

const agentInFull = () =>
  z.strictObject({
    role: z.string(),
    goal: z.string(),
    backstory: z.string(),
    tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
    llm: z.string().optional().describe("The model's name, unless it is the Worker's"),
    memory: z.boolean(),
    knowledge: z.boolean(),
    plans: z.boolean().describe("Whether it plans before it works"),
    delegates: z.boolean(),
  });

const taskInFull = () =>
  z.strictObject({
    name: z.string(),
    description: z.string(),
    agent: z.string(),
    expectedOutput: z.string(),
    context: z
      .array(z.string())
      .optional()
      .describe("The tasks whose outputs it is shown; absent for all before it"),
    async: z.boolean(),
    humanInput: z.boolean(),
    guardrails: z.number().describe("How many there are"),
    outputSchema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema"),
  });

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
