// Pieces of the rules that recognise accepted differences.
import { isDeepStrictEqual } from "node:util";
import type { CrewCase, Reply, ScriptedCall } from "./crew-case.ts";
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

/** True when some task's text differs, and CrewAI's has marks of the text form in it wherever it does. */
export function textFormDiffers({ tasks: ours = [] }: Outcome, { tasks = [] }: Outcome): boolean {
  const pairs = ours
    .map(({ raw }, at) => ({ raw, theirs: tasks[at]?.raw ?? "" }))
    .filter(({ raw, theirs }) => raw !== theirs);
  const isMarked = (text: string): boolean =>
    /^\*\* |final answer:|^Thought: .*\nAction: \w+$/.test(text);
  return (
    pairs.some(({ theirs }) => isMarked(theirs)) &&
    pairs.every(({ theirs }) => isMarked(theirs) || theirs === "")
  );
}

/** The program has a text that names a tool without input for it. */
export function hasHalfAction({ script }: CrewCase): boolean {
  return Object.values(script).some((replies) =>
    replies.some(({ text = "" }) => /Action: ?\S+(?:\nAction Input:)?\s*$/.test(text)),
  );
}

/** Model calls of all tasks. */
export function totalOf(calls: unknown): number {
  return Object.values(calls as Readonly<Record<string, number>>).reduce(
    (sum, each) => sum + each,
    0,
  );
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
