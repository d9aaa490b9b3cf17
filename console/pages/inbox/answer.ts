import type { Json, Wait } from "../../api-types.ts";

/** Form of an answer: fields of a schema, a choice, yes or no to a call, words alone, yes or no with a text. */
export type WaitForm = "schema" | "choices" | "approval" | "words" | "text";

export function formOf(wait: Wait): WaitForm {
  if (wait.schema !== undefined) return "schema";
  if (wait.choices !== undefined && wait.choices.length > 0) return "choices";
  if (wait.data?.["tool"] !== undefined) return "approval";
  return wait.needsFeedback === true || wait.freeText === true ? "words" : "text";
}

/**
 * Returns the member of a conversation for whom a person speaks in its turn. An invitation to a channel is no turn: it
 * is accepted or refused.
 */
export function speakerOf({ kind, data = {} }: Wait): string | undefined {
  const { agent, tool, channel } = data;
  const isTurn = kind === "human" && tool === undefined && channel === undefined;
  return isTurn && typeof agent === "string" ? agent : undefined;
}

/** Label of the text of an answer. */
export function textLabel(form: WaitForm, speaker: string | undefined): string {
  if (form === "approval") return "Reason";
  return form === "words" && speaker !== undefined ? `You speak as ${speaker}` : "Feedback";
}

export type Reply = {
  readonly feedback?: string;
  readonly value?: Json;
  readonly approve?: boolean;
};

/** Name of the stored draft of an answer. */
export const draftOf = (runId: string, key: string): string => `draft.${runId}.${key}`;

export type ResumeBody = Reply & {
  readonly key: string;
  /** Key of an answer, the same for every attempt to send it. */
  readonly id: string;
  readonly by?: string;
};

/** Returns the body of `POST /runs/:id/resume`. Leaves out `by` if the session has a name of its own. */
export function toResume(
  { key, id }: Pick<ResumeBody, "key" | "id">,
  reply: Reply,
  by: string,
): ResumeBody {
  return { key, id, ...reply, ...(by.trim() === "" ? undefined : { by: by.trim() }) };
}
