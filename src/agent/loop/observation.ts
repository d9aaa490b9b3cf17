import type { Prompts } from "../prompts/prompts.ts";

/** A tool's result in the text form. */
export function observed(result: string, { slices }: Prompts): string {
  return `${slices.observation.trimStart()} ${result}\n\n${slices.postToolReasoning}`;
}

/** Returns the result inside a user message of `observed`; undefined for any other message. */
export function observedResult(content: string, { slices }: Prompts): string | undefined {
  const start = `${slices.observation.trimStart()} `;
  const end = `\n\n${slices.postToolReasoning}`;
  const fits = content.startsWith(start) && content.endsWith(end);
  return fits ? content.slice(start.length, -end.length) : undefined;
}
