import type { TrainedAnswer } from "../../agent/loop/human-input.ts";
import { DEFAULT_PROMPTS, fill, type Prompts } from "../../agent/prompts/prompts.ts";
import { outputShape, type OutputSchema } from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { FinishReason } from "../../llm/language-model.ts";
import type { ToolAccountFields } from "../../tools/tool-accounts.ts";
import type { ToolFailureRecord } from "../../tools/tool-failure.ts";

/** Output of a task. `object` has the type of the task's `output` schema, if it has one. */
export type TaskOutput<Output = unknown> = {
  readonly name: string;
  readonly description: string;
  readonly expectedOutput: string;
  /** First ten words of the description, followed by `...`. */
  readonly summary: string;
  readonly agent: string;
  readonly raw: string;
  /** Reason for the end of the answer. Absent for answers of other frameworks, and from outputs of earlier versions. */
  readonly finishReason?: FinishReason;
  /** True for a skipped conditional task; `raw` is empty. */
  readonly skipped?: true;
  /** `json` when there is an `object`. */
  readonly outputFormat: "raw" | "json";
  readonly object?: Output;
  /** Comment of the person with an approval; part of the context of later tasks. */
  readonly humanFeedback?: string;
  /** Usage of all model calls for the task, including those of coworkers. */
  readonly usage: Usage;
  /** Roles of the agents in the task. */
  readonly processedByAgents: readonly string[];
  /**
   * From the task's start to its end, waits included, in milliseconds. In outputs of `kickoff()` and `stream()` outside of other
   * runs; the status of any run has `startedAt` and `finishedAt` of its tasks.
   */
  readonly durationMs?: number;
  /** The number of delegations to a coworker. */
  readonly delegations: number;
  /** The number of tool calls of its agent, and how many of them failed. */
  readonly usedTools: number;
  readonly toolsErrors: number;
  /** Failures of tools, coworkers' included, except those a policy ignores; absent without failures. */
  readonly toolFailures?: readonly ToolFailureRecord[];
} & ToolAccountFields;

/** Output of a crew: the last non-empty output, and the outputs of all tasks. */
export type CrewOutput<
  Output = unknown,
  Tasks extends readonly TaskOutput[] = readonly TaskOutput[],
> = {
  readonly raw: string;
  readonly object?: Output;
  /** Finish reason of the task behind this output. */
  readonly finishReason?: FinishReason;
  /** Outputs in the order of the crew's tasks. */
  readonly tasks: Tasks;
  /** Usage of the model calls of the tasks and the planner. Crews started by tools count in the run's usage. */
  readonly usage: Usage;
  /** Failures of all tasks, in their order; absent without failures. */
  readonly toolFailures?: readonly ToolFailureRecord[];
} & ToolAccountFields;

/** A task's output as the journal stores it, before the schema parses its object. */
export type TaskRecord = Omit<TaskOutput, "object"> & {
  readonly object?: JsonValue;
  /** While the crew is trained: the answers before and after a person's feedback. */
  readonly trained?: TrainedAnswer;
};

/** A crew's output as the journal stores it. */
export type CrewRecord<Object extends JsonValue = JsonValue> = Omit<
  CrewOutput,
  "object" | "tasks"
> & {
  /** As written by the model: the input of the schema, not its parsed result. */
  readonly object?: Object;
  readonly tasks: readonly TaskRecord[];
};

/** An output with its object parsed by the schema. */
export function typedOutput<Recorded extends { readonly object?: JsonValue }>(
  record: Recorded,
  schema: OutputSchema | undefined,
): Omit<Recorded, "object"> & { readonly object?: unknown } {
  if (record.object === undefined || schema === undefined) return record;
  const read = outputShape(schema).read(record.object);
  return "value" in read ? { ...record, object: read.value } : record;
}

export function summaryOf(description: string): string {
  return `${description.split(" ").slice(0, 10).join(" ")}...`;
}

/** The separator between the outputs in a task's context. */
const CONTEXT_JOINER = "\n\n----------\n\n";

export function joinContext(
  outputs: readonly TaskRecord[],
  { slices }: Prompts = DEFAULT_PROMPTS,
): string {
  return outputs
    .map(({ raw, humanFeedback }) =>
      humanFeedback === undefined
        ? raw
        : fill(slices.approvedWithFeedback, { output: raw, human_feedback: humanFeedback }),
    )
    .join(CONTEXT_JOINER);
}

/** Returns the structured output as JSON text. Throws `output_invalid` for an output without one. */
export function outputJson(output: { readonly raw: string; readonly object?: unknown }): string {
  if (output.object !== undefined) return JSON.stringify(output.object);
  throw new EngineError(
    "output_invalid",
    "the output is plain text: give its task an output schema to get JSON",
  );
}
