// A run in the view of protocols: one state, its open questions, and its result.
import { callerToolCall, type CallerToolCall } from "../tools/caller-tools.ts";
import { isTerminal, type Run, type RunStatus, type Wait } from "../runtime/run.ts";

export { resultOf, type RunResult } from "../base/output-result.ts";

/** State of a run, in terms shared by protocols. */
export type TaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "completed"
  | "failed"
  | "canceled";

/** A run waiting for a timer, a child or other code is working, because its caller cannot help it. */
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

/** True if the run has ended, or waits for its caller. */
export function isSettled(run: Pick<Run, "status" | "waits" | "held">): boolean {
  return isTerminal(run.status) || stateOf(run) === "input-required";
}

/** Returns the waits for somebody outside, oldest first: questions, and calls of the caller's own tools. */
export function openWaits({ waits }: Pick<Run, "waits">): readonly Wait[] {
  return waits.filter(({ kind }) => kind === "human" || kind === "input");
}

/** Returns the questions among the waits. */
export function questionsOf(run: Pick<Run, "waits">): readonly Wait[] {
  return openWaits(run).filter((wait) => callerToolCall(wait) === undefined);
}

/** A call of a caller's tool, with the key of its wait. */
export type OpenToolCall = CallerToolCall & { readonly key: string };

/** Returns the calls of the caller's tools without a result. */
export function toolCallsOf(run: Pick<Run, "waits">): readonly OpenToolCall[] {
  return openWaits(run).flatMap((wait) => {
    const call = callerToolCall(wait);
    return call === undefined ? [] : [{ ...call, key: wait.key }];
  });
}

/** Returns the question of a wait as text: its subject, the question, and the possible answers. */
export function questionText({ prompt = "Input is needed.", subject, choices }: Wait): string {
  const lines = [...promptTexts({ prompt, subject }), choices && `Choices: ${choices.join(", ")}`];
  return lines.filter((line) => line !== undefined && line !== "").join("\n\n");
}

/** Returns the subject of a wait, unless the question repeats it, and the question. */
export function promptTexts({
  prompt = "",
  subject = "",
}: Readonly<Record<"prompt" | "subject", string | undefined>>): readonly string[] {
  const isRepeated = `\n${prompt}\n`.includes(`\n${subject.trim()}\n`);
  return [isRepeated ? "" : subject, prompt].filter((text) => text !== "");
}

/** Returns the question of a wait without its subject, for a person who has read the subject. */
export function promptAlone({
  prompt = "",
  subject = "",
}: Pick<Wait, "prompt" | "subject">): string {
  const read = subject.trim();
  const at = read === "" ? -1 : `\n${prompt}\n`.indexOf(`\n${read}\n`);
  if (at < 0) return prompt;
  const rest = prompt.slice(0, at) + prompt.slice(at + read.length);
  return rest.trim().replace(/^(?:-{3,}\s*)+/, "") || prompt;
}
