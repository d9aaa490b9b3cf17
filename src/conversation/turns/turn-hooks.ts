// Hooks before an agent's answer: on its state, on the received text, on the whole history.
//
//   TNH1. A changed text replaces the received one, in this turn and in the agent's later view, as in AG2. Other agents
//         see the original.
//   TNH2. A changed history applies to this turn only.
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversationMessage } from "../messages.ts";
import type { StepsRequest } from "./reply-function.ts";
import { hasCalls } from "./tool-reply.ts";

/** The answering agent, its messages, and the arguments for hooks with steps. */
export type HookRequest = Pick<StepsRequest, "agent" | "messages"> & {
  readonly forSteps: () => StepsRequest;
};

/** The agent's messages in its turn, and the text of the last message if hooks changed it. */
export type HookedMessages = {
  readonly messages: readonly ConversationMessage[];
  readonly receivedText?: string;
};

/** Runs the hooks of the agent, each at a place of its own below the turn. */
export async function runTurnHooks(place: RunScope, request: HookRequest): Promise<HookedMessages> {
  const { agent, messages } = request;
  for (const [index, hook] of agent.hooksOf("update_agent_state").entries())
    await place.at(`state:${index}`).callOnce(async () => {
      await hook(messages);
      return null;
    });
  const receivedText = await textOfHooks(place, request);
  const last = messages.at(-1);
  let seen =
    receivedText === undefined || last === undefined
      ? messages
      : [...messages.slice(0, -1), { ...last, content: receivedText }];
  for (const [index, hook] of agent.hooksOf("process_all_messages_before_reply").entries()) {
    const before = seen;
    seen = await place.at(`history:${index}`).callOnce(async () => [...(await hook(before))]);
  }
  return { messages: seen, ...(receivedText === undefined ? undefined : { receivedText }) };
}

/** Returns the received text after the hooks; undefined if they leave it unchanged. */
async function textOfHooks(place: RunScope, request: HookRequest): Promise<string | undefined> {
  const { agent, messages, forSteps } = request;
  const hooks = agent.hooksOf("process_last_received_message");
  const inSteps = agent.hooksOf("process_last_received_in_steps");
  const last = messages.at(-1);
  if (hooks.length + inSteps.length === 0 || last === undefined || !isPlain(last)) return undefined;
  let content = last.content as string;
  for (const [index, hook] of hooks.entries()) {
    const before = content;
    content = await place.at(`received:${index}`).callOnce(async () => hook(before));
  }
  for (const [index, hook] of content === "" ? [] : inSteps.entries())
    content = await hook(place.at(`received-steps:${index}`), { ...forSteps(), content });
  return content === last.content ? undefined : content;
}

/** True if hooks on the received text apply: to texts, also beside calls, but not to a lone call or to "exit". */
function isPlain(message: ConversationMessage): boolean {
  const { content, context } = message;
  const isCallAlone = content === "" && hasCalls(message);
  return typeof content === "string" && content !== "exit" && context === undefined && !isCallAlone;
}
