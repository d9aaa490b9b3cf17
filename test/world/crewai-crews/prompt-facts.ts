// Facts about a prompt, whatever its words are: the task that it is for, and the answers, plans and texts that it has.
import type { CrewCase } from "./crew-case.ts";

export type WireMessage = {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
};

export type PromptFacts = {
  /** Answers of other tasks. */
  readonly context: readonly string[];
  readonly plan: readonly string[];
  /** The line with the task's marker. */
  readonly line: string;
};

/** The texts of the user's and the system's messages. */
export function textsOf(messages: readonly WireMessage[]): readonly string[] {
  return messages
    .filter(({ role }) => role === "user" || role === "system")
    .map(({ content }) =>
      typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("\n"),
    );
}

/** The task that a call is for: the judge of a guardrail, the planner, or a task by the first marker. */
export function taskOf(texts: readonly string[]): string {
  const all = texts.join("\n");
  const judged = /<<G:(\w+)>>/.exec(all)?.[1];
  const isTask = all.includes("<<T:");
  if (judged !== undefined && /guardrail/i.test(all) && !isTask) return `G_${judged}`;
  if (/tasks summary|list_of_plans/i.test(all)) return "PLAN";
  const task = /<<T:([^>]+)>>/.exec(all)?.[1];
  return task ?? (judged === undefined ? "-" : `G_${judged}`);
}

export function promptFacts(
  { script }: CrewCase,
  task: string,
  texts: readonly string[],
): PromptFacts {
  const all = texts.join("\n");
  const answers = Object.entries(script)
    .filter(([other]) => other !== task)
    .flatMap(([, replies]) => replies.filter(({ final }) => final))
    .map(({ key, text }) => key ?? text ?? "")
    .filter((text) => text !== "" && all.includes(text));
  const line = all.split("\n").find((each) => each.includes(`<<T:${task}>>`)) ?? "";
  return {
    context: [...new Set(answers)].toSorted(),
    plan: [...new Set([...all.matchAll(/PLAN-OF-\w+/g)].map(([plan]) => plan))],
    line: line.replace(/^.*Current Task: /, "").trim(),
  };
}
