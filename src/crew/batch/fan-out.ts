// Asynchronous tasks as child runs. docs/design/fan-out.md has the conditions and the reasons.
import { cut, MAX_EVENT_TEXT } from "../../base/cut.ts";
import { errorMessage } from "../../base/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ChildRequest } from "../../events/child-port.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { workspaceAt } from "../crew-workspace.ts";
import type { RunnableCrew } from "../runnable-crew.ts";
import type { PreparedTask } from "../tasks/prepared-task.ts";
import type { TaskRecord } from "../tasks/task-output.ts";

/** Maximum number of asynchronous tasks in one run: two rounds of an object's concurrent calls. */
const TASKS_PER_RUN = 10;

/** Task ready to start. */
export type ReadyTask = { readonly prepared: PreparedTask; readonly context: string };

/** Tasks of a crew for a child run. Equal contexts are stored once. */
export type CrewPart = {
  /** Workspace of the parent run. */
  readonly workspace?: string;
  readonly contexts: readonly string[];
  readonly tasks: ReadonlyArray<{
    readonly key: string;
    readonly context: number;
    /** The planner's plan for the task. */
    readonly plan?: string;
  }>;
};

/**
 * Hands a stretch of asynchronous tasks to child runs. Returns their outputs by task key; empty if the run does the
 * tasks itself.
 */
export function fanOut(
  scope: RunScope,
  crew: RunnableCrew,
  { inputs, tasks }: { readonly inputs: JsonObject; readonly tasks: readonly ReadyTask[] },
): ReadonlyMap<string, Promise<TaskRecord>> {
  const outputs = new Map<string, Promise<TaskRecord>>();
  const { foundAs } = crew;
  if (foundAs === undefined || !scope.hasChildren || !isWorthIt(crew, tasks)) return outputs;
  const chunks = inChunks(tasks);
  const requests = chunks.map((chunk): ChildRequest => {
    const start = (at: readonly string[]) => {
      const ready = chunk.filter(({ prepared }) => at.includes(prepared.key));
      const part = { workspace: workspaceAt(scope), ...partOf(ready) };
      return { kind: "task", name: foundAs, inputs, part } as const;
    };
    const at = chunk.map(({ prepared }) => prepared.key);
    return { at, answer: "parts", join: joinOf(tasks), start };
  });
  for (const [index, { runId, answers }] of scope.children<JsonValue>(requests).entries()) {
    for (const [position, answer] of answers.entries()) {
      const task = chunks[index]?.[position];
      if (task === undefined) continue;
      const output = reported(scope.at(task.prepared.key), { task, childRunId: runId, answer });
      outputs.set(task.prepared.key, output);
    }
  }
  return outputs;
}

/** Reports the task in the log of the parent run. */
async function reported(
  place: RunScope,
  { task, childRunId, answer }: { task: ReadyTask; childRunId: string; answer: Promise<JsonValue> },
): Promise<TaskRecord> {
  const { prepared, context } = task;
  const named = { taskName: prepared.task.label, agentRole: prepared.identity.role };
  place.emit("task_started", {
    taskId: place.path,
    ...named,
    context: cut(context, MAX_EVENT_TEXT),
    childRunId,
  });
  try {
    const output = (await answer) as TaskRecord;
    place.emit("task_completed", { ...named, output: cut(output.raw, MAX_EVENT_TEXT) });
    return output;
  } catch (error) {
    place.emit("task_failed", { ...named, error: errorMessage(error) });
    throw error;
  }
}

/** Shared limits of tasks apply only within one object. */
function isWorthIt({ options }: RunnableCrew, tasks: readonly ReadyTask[]): boolean {
  if (tasks.length <= TASKS_PER_RUN) return false;
  const { maxRpm, maxCostUsd, maxTokens } = options;
  if (maxRpm !== undefined || maxCostUsd !== undefined || maxTokens !== undefined) return false;
  return tasks.every(({ prepared }) => prepared.agent.maxRpm === undefined);
}

/** Splits tasks into chunks of nearly equal size. */
function inChunks(tasks: readonly ReadyTask[]): ReadonlyArray<readonly ReadyTask[]> {
  const count = Math.ceil(tasks.length / TASKS_PER_RUN);
  const size = Math.ceil(tasks.length / count);
  return Array.from({ length: count }, (_, index) =>
    tasks.slice(index * size, (index + 1) * size),
  ).filter((chunk) => chunk.length > 0);
}

function joinOf([first]: readonly ReadyTask[]): string {
  return first?.prepared.key ?? "";
}

function partOf(tasks: readonly ReadyTask[]): CrewPart {
  const contexts = [...new Set(tasks.map(({ context }) => context))];
  return {
    contexts,
    tasks: tasks.map(({ prepared, context }) => ({
      key: prepared.key,
      context: contexts.indexOf(context),
      ...(prepared.extras.plan === undefined ? undefined : { plan: prepared.extras.plan }),
    })),
  };
}

/** Reads the part written by `fanOut`. */
export function readPart(part: JsonValue | undefined): CrewPart {
  return isJsonObject(part) ? (part as CrewPart) : { contexts: [], tasks: [] };
}
