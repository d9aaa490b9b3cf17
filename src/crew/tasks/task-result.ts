// Turns an agent's answer into a task's output and applies the guardrails.
//
//   TR1. The answer is turned into the task's shape before guardrails see it, so that they can check its `object`.
//   TR2. The replacement that a guardrail returns is turned into the shape, too, and fails if it does not fit.
import type { AgentWork } from "../../agent/agent-work.ts";
import { fill } from "../../agent/prompts/prompts.ts";
import { conversionWork } from "../../agent/answer-messages.ts";
import { runGuardrails } from "../../agent/loop/run-guardrails.ts";
import { outputShape, toStructured, type OutputShape } from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import { userCode } from "../../base/user-code.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { PreparedTask } from "./perform-task.ts";
import { taskBrief } from "./task-brief.ts";
import { summaryOf, typedOutput, type TaskOutput, type TaskRecord } from "./task-output.ts";
import type { WorkBudget } from "../work-budget.ts";

/** A task in progress: its texts with the run's inputs, and the work of its agent. */
export type TaskUnderWay = {
  readonly prepared: PreparedTask;
  /** Outputs of earlier tasks, as they are in the prompt. */
  readonly context: string;
  readonly work: AgentWork;
  readonly workBudget: WorkBudget;
};

/** The fields of every task output, including that of a skipped task. */
export function blankOutput(prepared: PreparedTask): TaskRecord {
  const { task, description, expectedOutput, identity } = prepared;
  return {
    name: task.label,
    description,
    expectedOutput,
    summary: summaryOf(description),
    agent: identity.role,
    raw: "",
    outputFormat: "raw",
    usage: NO_USAGE,
    processedByAgents: [],
    delegations: 0,
    usedTools: 0,
    toolsErrors: 0,
  };
}

/** The output of a task for this answer. */
export async function taskResult(
  place: RunScope,
  raw: string,
  underWay: TaskUnderWay,
): Promise<TaskRecord> {
  const { prepared, workBudget } = underWay;
  const accounts = workBudget.accountsOf(prepared.identity.role);
  const record = { ...blankOutput(prepared), raw, ...accounts };
  return withObject(record, await structured(place, raw, underWay));
}

/**
 * Applies the guardrails of a task to its output. `again` repeats the task at a place, with a text added to the prompt, and
 * returns the new output.
 */
export function guarded(
  scope: RunScope,
  first: TaskRecord,
  options: {
    readonly underWay: TaskUnderWay;
    readonly again: (place: RunScope, refusal: string) => Promise<TaskRecord>;
  },
): Promise<TaskRecord> {
  const { underWay, again } = options;
  const { prepared, context, work } = underWay;
  const { task, description, extras } = prepared;
  const brief = taskBrief(work.prompts, description, { ...extras, plan: undefined });
  const shown = (output: TaskRecord): TaskOutput => typedOutput(output, task.output);
  return runGuardrails<TaskRecord, TaskOutput>(scope, first, {
    run: {
      guardrails: task.guardrails,
      maxRetries: task.guardrailMaxRetries,
      owner: `task "${task.label}"`,
      reference: [brief, context].filter((text) => text !== "").join("\n\n"),
      caller: work,
    },
    effects: {
      shown,
      replaced: (place, output, value) => replaced(place, { output, value, shown }, underWay),
      again: (place, { error, output }) =>
        again(
          place,
          fill(work.prompts.errors.validationError, {
            guardrail_result_error: error,
            task_output: output.raw,
          }),
        ),
    },
  });
}

async function replaced(
  place: RunScope,
  replacement: { output: TaskRecord; value: JsonValue; shown: (output: TaskRecord) => TaskOutput },
  underWay: TaskUnderWay,
): Promise<TaskRecord> {
  const { output, value, shown } = replacement;
  if (typeof value === "string")
    return value === output.raw ? output : taskResult(place, value, underWay);
  const raw = isJsonObject(value) ? value["raw"] : undefined;
  if (!isJsonObject(value) || typeof raw !== "string") return output;
  const { object } = value;
  if (object === undefined) return raw === output.raw ? output : taskResult(place, raw, underWay);
  const isSame = JSON.stringify(object) === JSON.stringify(shown(output).object);
  if (isSame) return { ...output, raw };
  const { task } = underWay.prepared;
  if (task.output !== undefined)
    checkFits(object, outputShape(task.output), `a guardrail of task "${task.label}"`);
  return withObject({ ...output, raw }, object);
}

async function structured(
  place: RunScope,
  raw: string,
  { prepared: { task }, work }: TaskUnderWay,
): Promise<JsonValue | undefined> {
  const { converter } = task;
  const shape = task.output === undefined ? undefined : outputShape(task.output);
  if (converter === undefined)
    return shape === undefined
      ? undefined
      : toStructured(place, raw, { shape, work: conversionWork(place, work) });
  const converted = await place
    .at("converter")
    .callOnce(
      async () =>
        (await userCode(`the converter of task "${task.label}"`, () =>
          converter(raw, shape?.schema),
        )) as JsonValue,
    );
  if (shape !== undefined) checkFits(converted, shape, `the converter of task "${task.label}"`);
  return converted;
}

/** Throws `output_invalid` naming the fields that do not fit. */
function checkFits(json: JsonValue, shape: OutputShape, giver: string): void {
  const read = shape.read(json);
  if (!("issues" in read)) return;
  const what = read.issues
    .map(({ path, message }) => `${path || "the object"}: ${message}`)
    .join("; ");
  throw new EngineError(
    "output_invalid",
    `${giver} gave an object that does not fit the output schema: ${what}`,
    { issues: read.issues },
  );
}

function withObject(record: TaskRecord, object: JsonValue | undefined): TaskRecord {
  return object === undefined ? record : { ...record, outputFormat: "json", object };
}
