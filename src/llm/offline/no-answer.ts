// Text of the demo model if its input does not answer the ask. It is recognised by its first words, because texts pass
// through tasks, contexts and stores without knowledge of models.

const OPENING = "offline/demo found nothing in its input for this:";
const WAYS_ON =
  "Give the agent the facts (in the task, its context, the backstory, knowledge), or set a key of a real model.";
const WHOLE = new RegExp(`${OPENING}[^]*?${WAYS_ON.replaceAll(/[().]/g, "\\$&")}`, "g");

const MAX_ASK = 300;

export function noAnswer(asked: string): string {
  return `${OPENING} ${asked.slice(0, MAX_ASK)}\n${WAYS_ON}`;
}

/** True if a text is the demo model's notice of no answer. Such a text must not be remembered. */
export function isNoAnswer(text: string): boolean {
  return text.includes(OPENING);
}

/** Returns the text without the demo model's notice of no answer. */
export function withoutNoAnswer(text: string): string {
  return text.replaceAll(WHOLE, "");
}
