import type { RunScope } from "../../events/run-scope.ts";
import type { TerminationStep } from "../termination.ts";
import type { PersonStep } from "./person-reply.ts";
import type { TurnRequest } from "./turn-request.ts";

/** Emits an agent's decision about a message, at its turn. `counter` is the number before it. */
export function emitDecision(
  turn: RunScope,
  { agent, sender }: TurnRequest,
  { step, humanInput, counter }: PersonStep & { readonly counter: number },
): void {
  const about = { sender: agent.name, recipient: sender.name };
  if (humanInput === "") turn.emit("chat_human_input_empty", about);
  if (step.kind === "stop") turn.emit("chat_terminated", { reason: step.reason, ...about });
  const { humanInputMode } = agent;
  if (isAutoReply(step, counter) && humanInputMode !== "NEVER")
    turn.emit("chat_auto_reply_used", { ...about, humanInputMode });
}

/** Without a message to answer, the counter does not change. */
function isAutoReply(step: TerminationStep, counter: number): boolean {
  return step.kind === "continue" && step.counter > counter;
}
