// Turns an agent's answer into a task's output and applies the guardrails.
//
//   TR1. An answer that contains its data is read before guardrails see it. Any other is converted, by a model or by
//        the task's `converter`, after the guardrails pass it, or when one of them reads its `object`.
//   TR2. A guardrail's replacement is also converted into the shape, and fails if it does not fit.
import type { AgentWork } from "../../agent/agent-work.ts";
import { conversionWork } from "../../agent/answer-messages.ts";
import { runGuardrails } from "../../agent/loop/run-guardrails.ts";
import { closed, demanding, type OpenAnswer } from "../../agent/loop/open-answer.ts";
import {
  dataIn,
  outputShape,
  toStructured,
  type OutputShape,
} from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import { userCode } from "../../base/user-code.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { taskBrief } from "./task-brief.ts";
import { summaryOf, typedOutput, type TaskOutput, type TaskRecord } from "./task-output.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { PreparedTask } from "./prepared-task.ts";

/** A task in progress: its texts with the run's inputs, and the work of its agent. */
export type TaskUnderWay = {
  readonly prepared: PreparedTask;
  /** Outputs of earlier tasks, as in the prompt. */
  readonly context: string;
  readonly work: AgentWork;
  readonly workBudget: WorkBudget;
};

/** Returns the fields of every task output, including that of a skipped task. */
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

/** Answer of a task on its way through guardrails. */
export type OpenTaskAnswer = OpenAnswer<TaskRecord>;

/** The answer as guardrails judge it (TR1). */
export function openAnswer(
  place: RunScope,
  raw: string,
  { prepared, workBudget }: TaskUnderWay,
): OpenTaskAnswer {
  const { task, identity } = prepared;
  const record = { ...blankOutput(prepared), raw, ...workBudget.accountsOf(identity.role) };
  if (task.converter !== undefined) return { raw, record, openAt: place };
  if (task.output === undefined) return { raw, record };
  const data = dataIn(raw, outputShape(task.output));
  return data === undefined
    ? { raw, record, openAt: place }
    : { raw, record: withObject(record, data) };
}

/** Returns the output of a task after the guardrails. */
export async function taskResult(
  answer: OpenTaskAnswer,
  underWay: TaskUnderWay,
): Promise<TaskRecord> {
  return (await withItsObject(answer, underWay)).record;
}

function withItsObject(answer: OpenTaskAnswer, underWay: TaskUnderWay): Promise<OpenTaskAnswer> {
  return closed(answer, async (place, raw) => {
    const object = await structured(place, raw, underWay);
    const accounts = underWay.workBudget.accountsOf(underWay.prepared.identity.role);
    return withObject({ ...answer.record, ...accounts }, object);
  });
}

/**
 * Applies the guardrails of a task to its answer. `again` repeats the task at a place, with a text added to the prompt, and
 * returns the new answer.
 */
export function guarded(
  scope: RunScope,
  first: OpenTaskAnswer,
  options: {
    readonly underWay: TaskUnderWay;
    readonly again: (
      place: RunScope,
      refused: { readonly error: string; readonly raw: string },
    ) => Promise<OpenTaskAnswer>;
  },
): Promise<OpenTaskAnswer> {
  const { underWay, again } = options;
  const { prepared, context, work } = underWay;
  const { task, description, extras } = prepared;
  const brief = taskBrief(work.prompts, description, { ...extras, plan: undefined });
  const shown = ({ record, openAt }: OpenTaskAnswer, demand: () => never): TaskOutput =>
    openAt === undefined ? typedOutput(record, task.output) : demanding(record, demand);
  return runGuardrails<OpenTaskAnswer, TaskOutput>(scope, first, {
    run: {
      guardrails: task.guardrails,
      maxRetries: task.guardrailMaxRetries,
      owner: `task "${task.label}"`,
      reference: [brief, context].filter((text) => text !== "").join("\n\n"),
      caller: work,
    },
    effects: {
      shown,
      converted: (answer) => withItsObject(answer, underWay),
      replaced: async (place, answer, value) => replaced(place, { answer, value }, underWay),
      again: (place, { error, output }) => again(place, { error, raw: output.raw }),
    },
  });
}

function replaced(
  place: RunScope,
  { answer, value }: { answer: OpenTaskAnswer; value: JsonValue },
  underWay: TaskUnderWay,
): OpenTaskAnswer {
  const reopened = (raw: string): OpenTaskAnswer =>
    raw === answer.raw ? answer : openAnswer(place, raw, underWay);
  if (typeof value === "string") return reopened(value);
  const raw = isJsonObject(value) ? value["raw"] : undefined;
  if (!isJsonObject(value) || typeof raw !== "string") return answer;
  const { object } = value;
  if (object === undefined) return reopened(raw);
  const { task } = underWay.prepared;
  const record = { ...answer.record, raw };
  const known = typedOutput(record, task.output).object;
  if (known !== undefined && JSON.stringify(object) === JSON.stringify(known))
    return { raw, record };
  if (task.output !== undefined)
    checkFits(object, outputShape(task.output), `a guardrail of task "${task.label}"`);
  return { raw, record: withObject(record, object) };
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

/** Throws `output_invalid` and names the fields that do not fit. */
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
