import { fill, type Prompts } from "../agent/prompts.ts";
import type { JsonObject } from "../base/json.ts";

/** The user's side of a task's prompt: task, expected result, form of the answer; then the context. */
export function taskPrompt(
  { slices }: Prompts,
  task: {
    description: string;
    expectedOutput: string;
    context: string;
    markdown: boolean;
    schema: JsonObject | undefined;
    /** What the agent was taught to follow. */
    lessons?: string | undefined;
  },
): string {
  const parts = [
    task.description,
    fill(slices.expectedOutput, { expected_output: task.expectedOutput }),
  ];
  if (task.markdown) parts.push(slices.markdown);
  if (task.schema !== undefined) {
    parts.push(
      fill(slices.formattedTaskInstructions, {
        output_format: JSON.stringify(task.schema, null, 2),
      }),
    );
  }
  const text = parts.join("\n");
  const whole =
    task.context === ""
      ? text
      : fill(slices.taskWithContext, { task: text, context: task.context });
  return task.lessons === undefined ? whole : `${whole}\n\n${task.lessons}`;
}
