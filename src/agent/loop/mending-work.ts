import { changedWork, type AgentWork } from "../agent-work.ts";
import { fill } from "../prompts/prompts.ts";

/**
 * The work of mending an answer that a guardrail refused: the conversation that led to it goes on with the reason, so that no tool is
 * called again for it. Where there is none, as after the work of other frameworks, a new prompt has the answer and the reason.
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
