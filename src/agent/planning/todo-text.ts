import type { Todo } from "../work-notes.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

/** Number of characters of a task in the prompt of a step, if the task has no section for steps. */
const EXCERPT = 2000;

/** The `## Task` section of a prompt, or its first 2000 characters. */
export function taskExcerpt(prompt: string): string {
  const section = /^## Task[ \t]*\r?\n([^]*?)(?=^## |$(?![^]))/m.exec(prompt)?.[1]?.trim();
  if (section !== undefined && section !== "") return section;
  return prompt.slice(0, EXCERPT).toWellFormed();
}

/** Steps as a model reads them, with their results. */
export function todoLines(todos: readonly Todo[], planning: Prompts["planning"]): string {
  if (todos.length === 0) return planning.noSteps;
  return todos
    .map(({ stepNumber, status, description, result }) => {
      const line = fill(planning.todoLine, {
        step_number: String(stepNumber),
        status,
        step_description: description,
      });
      return result === undefined ? line : `${line}\n${fill(planning.todoResult, { result })}`;
    })
    .join("\n");
}
