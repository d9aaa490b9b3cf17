import { sentName } from "../../llm/content.ts";
import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import type { FileLists } from "../../files/file-lists.ts";
import type { RunFile } from "../../files/file-ref.ts";

/** Texts that are added to the description of a task. */
export type TaskExtras = {
  /** The planner's plan for this task. */
  readonly plan?: string | undefined;
  /** The conversation so far, one `Role: text` line for each message. */
  readonly conversation?: string | undefined;
  /** What started the run, as text. */
  readonly trigger?: string | undefined;
  /** Files of the task: those in the conversation, and those that the agent can read. */
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
  parts.push(...fileTexts({ slices }, files));
  return parts.join("\n\n");
}

/** What the model is told of the files. */
function fileTexts(
  { slices }: Pick<Prompts, "slices">,
  { sent, toRead }: FileLists,
): readonly string[] {
  return [
    ...(sent.length > 0 ? [fill(slices.filesInConversation, { files: named(sent) })] : []),
    ...(toRead.length > 0 ? [fill(slices.inputFiles, { files: named(toRead) })] : []),
  ];
}

function named(files: readonly RunFile[]): string {
  return files
    .map(({ key, name, mediaType }) => `- ${key} (${sentName(name)}, ${mediaType})`)
    .join("\n");
}
