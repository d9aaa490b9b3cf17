import { fileListTexts } from "../../agent/prompts/file-list-texts.ts";
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import type { FileLists } from "../../files/file-parts.ts";

/** Additional texts for the description of a task. */
export type TaskExtras = {
  /** The planner's plan for this task. */
  readonly plan?: string | undefined;
  /** The conversation so far, one `Role: text` line for each message. */
  readonly conversation?: string | undefined;
  /** Event behind the run, as text. */
  readonly trigger?: string | undefined;
  /** Files of the task: those in the conversation, and those the agent can read. */
  readonly files: FileLists;
};

/** The task's description for the model, with its plan, the conversation, the trigger payload and its files. */
export function taskBrief(
  { slices }: Prompts,
  description: string,
  { plan, conversation, trigger, files }: TaskExtras,
): string {
  const parts = [description];
  if (plan !== undefined) parts.push(fill(slices.taskPlan, { plan }));
  if (conversation !== undefined)
    parts.push(`${slices.conversationHistoryInstruction}\n${conversation}`);
  if (trigger !== undefined) parts.push(fill(slices.triggerPayload, { payload: trigger }));
  parts.push(...fileListTexts({ slices }, files));
  return parts.join("\n\n");
}
