// Pieces of the rules that recognise accepted differences.
import { isDeepStrictEqual } from "node:util";
import type { CaseAgent, CaseTask, CrewCase, Reply, ScriptedCall } from "./crew-case.ts";
import type { CrewDifference } from "./compare-outcomes.ts";
import type { Outcome } from "./outcome.ts";

/** True when both sides are equal after the same change. */
export function equalAs(
  ours: unknown,
  theirs: unknown,
  change: (value: unknown) => unknown,
): boolean {
  return isDeepStrictEqual(change(ours), change(theirs));
}

/** A list, or a list of lists, without repetitions. */
export function setOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return [...new Set(value.map((each) => JSON.stringify(setOf(each))))].toSorted();
}

export function isText({ agents }: CrewCase): boolean {
  return agents.some(({ text }) => text);
}

export function scriptHas({ script }: CrewCase, holds: (reply: Reply) => boolean): boolean {
  return Object.values(script).flat().some(holds);
}

export function hasTool(program: CrewCase, holds: (call: ScriptedCall) => boolean): boolean {
  return scriptHas(program, ({ tools = [] }) => tools.some(holds));
}

/** Facts about contexts without those of asynchronous tasks that name none. */
export function withoutAsyncContext(value: unknown, { tasks }: CrewCase): unknown {
  return Object.fromEntries(
    Object.entries(value as object).map(([name, context]) => {
      const task = tasks.find((each) => each.name === name);
      return [name, task?.async && task.context === undefined ? [] : context];
    }),
  );
}

/** Texts with Python's literals as JSON's. */
export function pythonText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === "string"
      ? each
          .replaceAll(/\bTrue\b/g, "true")
          .replaceAll(/\bFalse\b/g, "false")
          .replaceAll(/\bNone\b/g, "null")
          .replaceAll("'", '"')
          .replaceAll(/([:,]) /g, "$1")
          .replaceAll("1e+21", "1e21")
          .replaceAll(/ +/g, " ")
      : each,
  );
}

const HALF_ACTION = /Action: ?\S+(?:\nAction Input:)?\s*$/;
const MARKS = /^\*\* |final answer:|^Thought: .*\nAction: \w+$/;

/** The program has a text that names a tool without input for it. */
export function hasHalfAction({ script }: CrewCase): boolean {
  return Object.values(script).some((replies) =>
    replies.some(({ text = "" }) => HALF_ACTION.test(text)),
  );
}

/** Tasks whose answer CrewAI read with marks of the text form in it, or whose model named a tool without input for it. */
export function tasksInTextForm(
  { tasks, script }: CrewCase,
  { tasks: outputs = [] }: Outcome,
): readonly string[] {
  return tasks
    .filter(
      ({ name }, at) =>
        MARKS.test(outputs[at]?.raw ?? "") ||
        script[name]?.some(({ text = "" }) => HALF_ACTION.test(text)),
    )
    .map(({ name }) => name);
}

/** Tasks that some others may have changed: these, and conditional tasks behind one of them. */
export function tasksBehind({ tasks }: CrewCase, causes: readonly string[]): readonly string[] {
  const reached = new Set(causes);
  for (const { name, condition } of tasks)
    if (condition !== undefined && reached.size > 0 && isBehind(name, [...reached]))
      reached.add(name);
  return [...reached];
}

/** The task comes after one of some others. Names are numbered. */
export function isBehind(name: string, others: readonly string[]): boolean {
  return others.some((other) => other < name);
}

/** True when a field differs in nothing but what belongs to some tasks. */
export function differsOnlyIn(
  { field, ours, theirs, program }: CrewDifference,
  names: readonly string[],
): boolean {
  const holds = (task: CaseTask | undefined): boolean =>
    task !== undefined && names.includes(task.name);
  const reached = tasksBehind(program, names);
  if (names.length === 0) return false;
  switch (field) {
    case "raw":
    case "object":
      return true;
    case "taskRaw":
    case "json":
    case "failures":
    case "summary":
      return (
        differingTasks(ours as unknown[], theirs as unknown[])?.every((at) =>
          holds(taskAt(program, at)),
        ) === true
      );
    case "calls":
    case "line":
    case "plan":
      return differingKeys(ours, theirs).every(
        (key) => key === "-" || holds(taskNamed(program, key)),
      );
    case "context":
      return differingKeys(
        withoutAsyncContext(ours, program),
        withoutAsyncContext(theirs, program),
      ).every((key) => holds(taskNamed(program, key)) || isBehind(key, reached));
    default:
      return false;
  }
}

/**
 * True when one side did all that the other one did, and then more: for a crew that failed earlier on one side. Lists and records of
 * compared fields; counts may have grown.
 */
export function wentFurther(more: unknown, less: unknown): boolean {
  if (Array.isArray(more) && Array.isArray(less)) {
    const left = more.map((each) => JSON.stringify(each));
    return less.every((each) => {
      const at = left.indexOf(JSON.stringify(each));
      return at >= 0 && left.splice(at, 1).length === 1;
    });
  }
  if (!isRecord(more) || !isRecord(less)) return false;
  return Object.entries(less).every(([key, value]) => {
    const other = more[key];
    if (typeof value === "number" && typeof other === "number") return other >= value;
    return isDeepStrictEqual(other, value);
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names of the entries in which two records differ. */
export function differingKeys(ours: unknown, theirs: unknown): readonly string[] {
  const one = ours as Readonly<Record<string, unknown>>;
  const other = theirs as Readonly<Record<string, unknown>>;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (key) => !isDeepStrictEqual(one[key], other[key]),
  );
}

/** Indices at which two lists differ; undefined for lists of different lengths. */
export function differingTasks(
  ours: readonly unknown[],
  theirs: readonly unknown[],
): readonly number[] | undefined {
  if (ours.length !== theirs.length) return undefined;
  return ours.flatMap((each, at) => (isDeepStrictEqual(each, theirs[at]) ? [] : [at]));
}

/** The task of a number in a list of outputs, also of several runs of one crew. */
export function taskAt({ tasks }: CrewCase, index: number): CaseTask | undefined {
  return tasks[index % tasks.length];
}

/** The task of a name in a record, also of a run for some inputs (`t0_tides`), of its judge (`G_t0`) or of a coworker (`t0d1`). */
export function taskNamed({ tasks }: CrewCase, key: string): CaseTask | undefined {
  const name = /^(?:G_)?(t\d+)(?:d\d+)?(?:_|$)/.exec(key)?.[1];
  return tasks.find((task) => task.name === name);
}

/** The agent of a task. */
export function agentOf({ agents }: CrewCase, task: CaseTask | undefined): CaseAgent | undefined {
  return agents.find(({ key }) => key === task?.agent);
}

/** Numbers that a text of JSON writes as texts, as numbers. */
export function withoutNumberQuotes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\\"(\d+)\\"/g, "$1")) as unknown;
}

/** Lists of names, sorted and in lower case. */
export function inLowerCase(value: unknown): unknown {
  return (value as readonly (readonly string[])[]).map((names) =>
    names.map((name) => name.toLowerCase()).toSorted(),
  );
}
