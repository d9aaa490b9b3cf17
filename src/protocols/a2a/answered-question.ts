// The question of a task which a message answers.
//
//   AAQ1. An answer belongs to the question that it names: by the key in its metadata, or by the id at the beginning of
//         its text, for people and models whose client sets no metadata.
//   AAQ2. An answer without a name is for the only open question. A repeated message is recognised by its id before, so
//         it answers no second one. While several questions are open it is refused, and the refusal says how to name one.
import type { RunSnapshot, Run, Wait } from "../../runtime/run.ts";
import { namedAnswer, questionIdOf } from "../question-id.ts";
import { openWaits, questionsOf } from "../run-state.ts";
import { A2AError } from "./errors.ts";
import type { Message } from "./schema.ts";
import { isFinal, wireStateOf } from "./task-view.ts";

/** A message with the wait that it answers, without the id of the question in its text. */
export type AnsweredQuestion = { readonly wait: Wait; readonly message: Message };

/**
 * Returns the question of a message, or the owed one: a wait whose answer is stored already. Throws an `A2AError` if the
 * task takes no message now, and for an answer without its question (AAQ2).
 */
export function answeredQuestion(
  { run }: Pick<RunSnapshot, "run">,
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
  if (first !== undefined && another === undefined) return { wait: first, message };
  const choices = open.map((wait) => `${wait.key} ("Question ${questionIdOf(run.id, wait.key)}")`);
  throw new A2AError(
    "InvalidParams",
    `the task asks several questions, so an answer names its question: put the key into metadata.wait, or begin the text with the quoted words; open: ${choices.join(", ")}`,
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
