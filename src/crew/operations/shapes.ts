// The schemas of answers about crews. Tests hold real answers against these.
import * as z from "zod";
import { errorRecord, time, objectOf } from "../../parts/shapes.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";
import type { CrewDefinition } from "../definition/definition-schema.ts";

const crew = () => ({
  name: z.string(),
  source: z.enum(["code", "stored"]),
  process: z.enum(["sequential", "hierarchical"]),
  agents: z.array(z.strictObject({ role: z.string(), goal: z.string() })),
  tasks: z.array(z.strictObject({ name: z.string(), description: z.string(), agent: z.string() })),
  inputs: z.array(z.string()).describe("What a run needs"),
  warnings: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe("What a stored crew goes without here, each with what to do"),
  error: errorRecord().optional().describe("Why a stored crew cannot run any more"),
});

export const crewShape = shape("Crew", () => z.strictObject(crew()));

export const crewDetailsShape = shape("CrewDetails", () =>
  z.strictObject({
    ...crew(),
    agents: z.array(agentInFull()),
    tasks: z.array(taskInFull()),
    version: z.number().optional().describe("Of a stored crew"),
    definition: objectOf<CrewDefinition>().optional().describe("What was stored"),
    inputSchema: objectOf()
      .optional()
      .describe(
        "JSON Schema of the inputs; made of the texts' placeholders for a crew without one",
      ),
    outputSchema: objectOf()
      .optional()
      .describe("JSON Schema of `object` in the output, where the last task has one"),
  }),
);

/** A crew in the HTTP API. `inputs` are the required inputs of a run. */
export type CrewView = ViewOf<typeof crewShape>;
/** `CrewView` with the stored definition, and full agents and tasks. */
export type CrewDetails = ViewOf<typeof crewDetailsShape>;
/** An agent of a crew, in full. */
export type CrewAgentDetails = CrewDetails["agents"][number];
/** A task of a crew, in full. */
export type CrewTaskDetails = CrewDetails["tasks"][number];

export const trainingShape = shape("Training", () => training());

export const trainingSummaryShape = shape("TrainingSummary", () =>
  z.strictObject({
    name: z.string(),
    quality: z.record(z.string(), z.number()).describe("0 to 10, by the agents' roles"),
    updatedAt: time(),
  }),
);

export const evaluationShape = shape("Evaluation", () =>
  z.strictObject({
    runId: z.string(),
    evalModel: z.string(),
    report: testReport(),
    createdAt: time(),
  }),
);

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
    outputSchema: objectOf().optional().describe("JSON Schema"),
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

/** The result of a test in the HTTP API. */
export type EvaluationView = ViewOf<typeof evaluationShape>;
/** A training in lists of the HTTP API. */
export type TrainingSummaryView = ViewOf<typeof trainingSummaryShape>;
