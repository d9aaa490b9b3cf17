// The question of a task which a message answers.
//
//   AAQ1. An answer belongs to the question that it names: by the key in its metadata, or by the id at the beginning of
//         its text, for people and models whose client sets no metadata.
//   AAQ2. An answer without a name is for the only question so far. After an earlier one it may be late or repeated, so
//         it is refused, and the refusal says how to name the open question.
import type { RunSnapshot, Run, Wait } from "../../runtime/run.ts";
import { namedAnswer, questionIdOf } from "../question-id.ts";
import { openWaits, questionsOf } from "../run-state.ts";
import { A2AError } from "./errors.ts";
import type { Message } from "./schema.ts";
import { isFinal, wireStateOf } from "./task-view.ts";

/** Events needed beside the run. */
export const QUESTION_EVENT = "wait_opened";

/** A message with the wait that it answers, without the id of the question in its text. */
export type AnsweredQuestion = { readonly wait: Wait; readonly message: Message };

/**
 * Returns the question of a message, or the owed one: a wait whose answer is stored already. Throws an `A2AError` if the
 * task takes no message now, and for an answer without its question (AAQ2).
 */
export function answeredQuestion(
  { run, events }: Pick<RunSnapshot, "run" | "events">,
  message: Message,
  owed?: Wait,
): AnsweredQuestion {
  const open = openOf(run);
  const key = message.metadata?.["wait"];
  if (typeof key === "string") {
    const wait = open.find((each) => each.key === key);
    if (wait !== undefined) return { wait, message };
    throw new A2AError("InvalidParams", `the task does not wait for ${key.slice(0, 100)}`);
  }
  const named = namedIn(message);
  if (owed !== undefined) return { wait: owed, message: named?.message ?? message };
  if (named !== undefined) {
    const wait = open.find((each) => questionIdOf(run.id, each.key) === named.id);
    if (wait !== undefined) return { wait, message: named.message };
    throw new A2AError("InvalidParams", `the task does not wait for Question ${named.id}`);
  }
  const [first = open[0], another] = questionsOf(run);
  const hasAsked = events.some(
    (event) =>
      event.type === QUESTION_EVENT &&
      (event.kind === "human" || event.kind === "input") &&
      !open.some((wait) => wait.key === event.key),
  );
  if (first !== undefined && another === undefined && !hasAsked) return { wait: first, message };
  const choices = open.map((wait) => `${wait.key} ("Question ${questionIdOf(run.id, wait.key)}")`);
  throw new A2AError(
    "InvalidParams",
    `the task ${another === undefined ? "has asked before" : "asks several questions"}, so an answer names its question: put the key into metadata.wait, or begin the text with the quoted words; open: ${choices.join(", ")}`,
  );
}

/** Returns the waits of a task that needs input. */
function openOf(run: Run): readonly Wait[] {
  const state = wireStateOf(run);
  if (state === "TASK_STATE_INPUT_REQUIRED" || state === "TASK_STATE_AUTH_REQUIRED")
    return openWaits(run);
  throw new A2AError(
    "UnsupportedOperation",
    isFinal(state)
      ? `task ${run.id} has ended and takes no more messages: send one without a task id`
      : `task ${run.id} is working and has no open question`,
  );
}

function namedIn(message: Message): { readonly id: string; readonly message: Message } | undefined {
  const [first, ...others] = message.parts;
  const named = first?.text === undefined ? undefined : namedAnswer(first.text);
  if (named === undefined) return undefined;
  const { id, text } = named;
  const own = text === "" && others.length > 0 ? [] : [{ ...first, text }];
  return { id, message: { ...message, parts: [...own, ...others] } };
}
