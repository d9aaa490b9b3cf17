// A run as protocols tell of it: one state, the questions that it waits for, and its result.
import { callerToolCall, type CallerToolCall } from "../tools/caller-tools.ts";
import { isTerminal, type Run, type RunStatus, type Wait } from "../runtime/run.ts";

export { resultOf, type RunResult } from "../base/output-result.ts";

/** Where a run stands, in the words that protocols share. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled";

/** A run that waits for a timer, a child or other code is working: nobody outside can help it. */
export function stateOf(run: Pick<Run, "status" | "waits" | "held">): TaskState {
  if (run.status !== "waiting") return STATES[run.status];
  return run.held === undefined && openWaits(run).length > 0 ? "input-required" : "working";
}

const STATES = {
  queued: "submitted",
  running: "working",
  completed: "completed",
  failed: "failed",
  cancelled: "canceled",
} as const satisfies Partial<Record<RunStatus, TaskState>>;

/** True when nothing more happens by itself: the run has ended, or waits for its caller. */
export function isSettled(run: Pick<Run, "status" | "waits" | "held">): boolean {
  return isTerminal(run.status) || stateOf(run) === "input-required";
}

/** The waits that somebody outside can answer, oldest first: questions, and calls of the caller's own tools. */
export function openWaits({ waits }: Pick<Run, "waits">): readonly Wait[] {
  return waits.filter(({ kind }) => kind === "human" || kind === "input");
}

/** The questions among them. */
export function questionsOf(run: Pick<Run, "waits">): readonly Wait[] {
  return openWaits(run).filter((wait) => callerToolCall(wait) === undefined);
}

/** A call of a tool that the caller has, with the key of its wait. */
export type OpenToolCall = CallerToolCall & { readonly key: string };

/** The calls of the caller's tools that have no result yet. */
export function toolCallsOf(run: Pick<Run, "waits">): readonly OpenToolCall[] {
  return openWaits(run).flatMap((wait) => {
    const call = callerToolCall(wait);
    return call === undefined ? [] : [{ ...call, key: wait.key }];
  });
}

/** What a wait asks, in words: what it is about, the question, and what may be answered. */
export function questionText({ prompt = "Input is needed.", subject, choices }: Wait): string {
  const lines = [...promptTexts({ prompt, subject }), choices && `Choices: ${choices.join(", ")}`];
  return lines.filter((line) => line !== undefined && line !== "").join("\n\n");
}

/** The subject of a wait, where the question does not repeat it, and the question. */
export function promptTexts({
  prompt = "",
  subject = "",
}: Readonly<Record<"prompt" | "subject", string | undefined>>): readonly string[] {
  const isRepeated = `\n${prompt}\n`.includes(`\n${subject.trim()}\n`);
  return [isRepeated ? "" : subject, prompt].filter((text) => text !== "");
}
