import { changedWork, type AgentWork } from "../agent-work.ts";
import { fill } from "../prompts/prompts.ts";

/**
 * Creates the work to correct an answer refused by a guardrail. The conversation behind the answer continues with the
 * reason, so no tool is called again. Without such a conversation, as after the work of another framework, a new prompt
 * has the answer and the reason.
 */
export function mendingWork(
  work: AgentWork,
  { error, raw }: { readonly error: string; readonly raw: string },
): AgentWork {
  const { prompts, notes, prompt } = work;
  const refused = fill(prompts.errors.validationError, {
    guardrail_result_error: error,
    task_output: raw,
  });
  const changed = { prompt: `${prompt}\n\n${refused}` };
  const messages = notes?.messages;
  if (messages === undefined) return changedWork(work, changed);
  return changedWork(work, {
    ...changed,
    goesOn: [...messages, { role: "user", content: refused }],
  });
}
