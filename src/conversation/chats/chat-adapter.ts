// A conversation that does the work of a crew agent, such as a task of a crew.
//
//   CAD1. It runs inside the run of the work, as `CTL1` says. The task's prompt opens it, and its summary is the
//         answer. Guardrails, reviews and output schemas treat the answer like any agent's.
//   CAD2. Its usage counts for the task, and once for the run.
import type { AgentAdapter } from "../../agent/description/agent-adapter.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ChatOutcome } from "./chat-tool.ts";

/**
 * Lets a conversation do an agent's work: `new Agent({ role, goal, backstory, adapter: chatAdapter(…) })`. `chat` runs
 * it, such as `(message) => moderator.initiateChat(expert, { message })`. The message is a text, or parts if it has
 * images or files. Tools of the agent are not used: the members have their own.
 */
export function chatAdapter(
  chat: (message: JsonValue) => Promise<ChatOutcome>,
): AgentAdapter<undefined, undefined> {
  return {
    configureTools: () => undefined,
    configureStructuredOutput: () => undefined,
    execute: async ({ prompt, attachments }) => {
      const message =
        attachments.length === 0 ? prompt : [{ type: "text", text: prompt }, ...attachments];
      const { summary, cost } = await chat(message);
      return { text: summary, ...(cost === undefined ? undefined : { usageOfRun: cost.total }) };
    },
  };
}
