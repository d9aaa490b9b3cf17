// What the demo model says when nothing in its input answers the ask. It is told apart by its first words, as a text passes through
// tasks, contexts and stores that know nothing of models.

const OPENING = "offline/demo found nothing in its input for this:";
const WAYS_ON =
  "Give the agent the facts (in the task, its context, the backstory, knowledge), or set a key of a real model.";
const WHOLE = new RegExp(`${OPENING}[^]*?${WAYS_ON.replaceAll(/[().]/g, "\\$&")}`, "g");

const MAX_ASK = 300;

export function noAnswer(asked: string): string {
  return `${OPENING} ${asked.slice(0, MAX_ASK)}\n${WAYS_ON}`;
}

/** Whether a text says that the demo model could not answer. Such a text is no answer, and nothing to remember. */
export function isNoAnswer(text: string): boolean {
  return text.includes(OPENING);
}

/** The text without what the demo model said in place of an answer. */
export function withoutNoAnswer(text: string): string {
  return text.replaceAll(WHOLE, "");
}
