import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import type { InputFiles } from "../crew-files.ts";

/** Texts that are added to the description of a task. */
export type TaskExtras = {
  /** The planner's plan for this task. */
  readonly plan?: string | undefined;
  /** The conversation so far, one `Role: text` line for each message. */
  readonly conversation?: string | undefined;
  /** What started the run, as text. */
  readonly trigger?: string | undefined;
  /** Files that the agent can read. */
  readonly files: InputFiles;
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
  const names = Object.entries(files).map(([name, path]) => `- ${name} (${path})`);
  if (names.length > 0) parts.push(fill(slices.inputFiles, { files: names.join("\n") }));
  return parts.join("\n\n");
}
