import { fill, type Prompts } from "../../agent/prompts/prompts.ts";
import type { JsonObject } from "../../base/json.ts";

/** The user's side of a task's prompt: task, expected result, form of the answer; then the context. */
export function taskPrompt(
  { slices }: Prompts,
  task: {
    description: string;
    expectedOutput: string;
    context: string;
    markdown: boolean;
    schema: JsonObject | undefined;
  },
): string {
  const { description, expectedOutput } = task;
  const parts = [description];
  if (expectedOutput.trim() !== "")
    parts.push(fill(slices.expectedOutput, { expected_output: expectedOutput }));
  if (task.markdown) parts.push(slices.markdown);
  if (task.schema !== undefined) {
    parts.push(
      fill(slices.formattedTaskInstructions, {
        output_format: JSON.stringify(task.schema, null, 2),
      }),
    );
  }
  const text = parts.join("\n");
  return task.context === ""
    ? text
    : fill(slices.taskWithContext, { task: text, context: task.context });
}

/** Adds the agent's lessons to the end of a prompt. */
export function withLessonsText(prompt: string, lessons: string | undefined): string {
  return lessons === undefined ? prompt : `${prompt}\n\n${lessons}`;
}
