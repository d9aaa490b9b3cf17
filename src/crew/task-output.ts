import { outputShape, type OutputSchema } from "../agent/structured-output.ts";
import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";

/** What a task gave. `object` is typed by the task's `output` schema, where it has one. */
export type TaskOutput = {
  readonly name: string;
  readonly description: string;
  readonly expectedOutput: string;
  /** First ten words of the description, followed by `...`. */
  readonly summary: string;
  readonly agent: string;
  readonly raw: string;
  /** True for a conditional task that was not done: `raw` is empty. */
  readonly skipped?: true;
  readonly outputFormat: "raw" | "json";
  readonly object?: unknown;
  /** Of all model calls for it, those of coworkers included. */
  readonly usage: Usage;
  /** Roles of the agents that worked on it. */
  readonly processedByAgents: readonly string[];
  /** How often work was given to a coworker. */
  readonly delegations: number;
  /** Tool calls that its agent made, and how many of them failed. */
  readonly usedTools: number;
  readonly toolsErrors: number;
};

/** What a crew gave: the last output that is not empty, and all of them. */
export type CrewOutput<Output = unknown> = {
  readonly raw: string;
  readonly object?: Output;
  readonly tasks: readonly TaskOutput[];
  /** Of the model calls of its tasks and of its planner. Crews that tools start are counted in the run's usage. */
  readonly usage: Usage;
};

/** A task's output as the journal keeps it: its object not yet read by the schema. */
export type TaskRecord = Omit<TaskOutput, "object"> & { readonly object?: JsonValue };

/** A crew's output as the journal keeps it. */
export type CrewRecord = Omit<CrewOutput, "object" | "tasks"> & {
  readonly object?: JsonValue;
  readonly tasks: readonly TaskRecord[];
};

/** An output with its object as the schema's own parser gives it. */
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

/** Between the outputs that make up a task's context. */
const CONTEXT_JOINER = "\n\n----------\n\n";

export function joinContext(outputs: readonly TaskRecord[]): string {
  return outputs.map((output) => output.raw).join(CONTEXT_JOINER);
}
