import type { Json, Wait } from "../../api-types.ts";

/** Form of an answer: fields of a schema, a choice, yes or no to a call, a text. */
export type WaitForm = "schema" | "choices" | "approval" | "text";

export function formOf(wait: Wait): WaitForm {
  if (wait.schema !== undefined) return "schema";
  if (wait.choices !== undefined && wait.choices.length > 0) return "choices";
  return wait.data?.["tool"] !== undefined ? "approval" : "text";
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
