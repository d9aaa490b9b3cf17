import type { AgentWork } from "../../agent/agent-work.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ConversableAgent, Member } from "../agents/conversable-agent.ts";
import type { Talk } from "../chats/talk.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { Kept } from "./kept.ts";

/**
 * Which senders a reply function answers: one by name or as itself, those of a class, those for which a function says so, or any of a
 * list.
 */
export type ReplyTrigger =
  | string
  | Member
  | (abstract new (...options: never[]) => ConversableAgent)
  | ((sender: ConversableAgent) => boolean)
  | readonly ReplyTrigger[];

/** What a reply function knows. */
export type ReplyRequest = {
  readonly agent: ConversableAgent;
  readonly sender: ConversableAgent;
  /** What was said between the two, the message to be answered last. */
  readonly messages: readonly ConversationMessage[];
  /** Changes are kept, also when the function leaves the answer to the next. */
  readonly contextVariables: ContextVariables;
};

/** A reply that is final ends the chain, also without a message: then nothing is said. */
export type ReplyResponse =
  | undefined
  | null
  | { readonly final: false }
  | { readonly final: true; readonly reply: unknown };

/** Answers a message, or leaves it to the next function. Called once per message; what it returns is recorded. */
export type ReplyFunction = (request: ReplyRequest) => ReplyResponse | Promise<ReplyResponse>;

/** A link of an agent's reply chain: whether it ends and what a person says, calls of tools, the model, or what was registered. */
export type ReplyLink =
  | { readonly kind: "termination" }
  | { readonly kind: "tools" }
  | { readonly kind: "model" }
  | { readonly kind: "function"; readonly trigger: ReplyTrigger; readonly reply: ReplyFunction }
  | { readonly kind: "steps"; readonly trigger: ReplyTrigger; readonly reply: ReplySteps };

/** What code of a turn knows that is made of steps of the run. */
export type StepsRequest = ReplyRequest & {
  /** For chats with others: what is said in them is not part of this conversation. */
  readonly talk: Talk;
  /** The agent's model, hooks and limits; what is consumed on its behalf counts for the turn. */
  readonly work: AgentWork;
  readonly kept: Kept;
};

/**
 * Answers with steps of the run, all of them at `place`: chats with others, questions to models. It runs again in each replay of a
 * turn that has not ended. Undefined leaves the answer to the next link.
 */
export type ReplySteps = (
  place: RunScope,
  request: StepsRequest,
) => Promise<StepsReply | undefined>;

/** The answer, absent where there is nothing to say, and what others consumed for it, by agent. */
export type StepsReply = {
  readonly reply?: ConversationMessage;
  readonly usage?: ReadonlyArray<Readonly<Record<string, Usage>>>;
};

/** As `ReplySteps`, for what is done with a text that was received; returns the text that the agent sees in this turn. */
export type ReceivedSteps = (
  place: RunScope,
  request: StepsRequest & { readonly content: string },
) => Promise<string>;

/**
 * Makes tools that the agent's model may call in one turn, with what the turn knows; the agent carries them out itself, in the turn. It
 * is called again in each replay of a turn that has not ended.
 */
export type TurnTools = (request: StepsRequest) => readonly Tool[];

/** Throws `invalid_definition` for what can trigger nothing. */
export function checkTrigger(trigger: unknown, owner: string): void {
  const known = ["string", "function"].includes(typeof trigger);
  if (known || (typeof trigger === "object" && trigger !== null)) return;
  throw invalidDefinition(
    `agent "${owner}": a trigger is an agent, its name, a class of agents, a function of the sender, or a list of these, got ${preview(trigger)}`,
  );
}

/** Throws `invalid_input` for what is no answer of a reply function, such as a text or AG2's pair. */
export function checkResponse(response: unknown, agent: string): void {
  if (response === undefined || response === null) return;
  if (typeof (response as { readonly final?: unknown }).final === "boolean") return;
  throw new EngineError(
    "invalid_input",
    `a reply function of "${agent}" returns { final: true, reply }, { final: false } or nothing, got ${preview(response)}`,
  );
}

function isClass(
  trigger: ReplyTrigger,
): trigger is abstract new (...options: never[]) => ConversableAgent {
  return typeof trigger === "function" && /^class\b/.test(String(trigger));
}

/** Whether a trigger is for this sender. */
export function triggers(trigger: ReplyTrigger, sender: ConversableAgent): boolean {
  if (typeof trigger === "string") return trigger === sender.name;
  if (isClass(trigger)) return sender instanceof trigger;
  if (typeof trigger === "function") return trigger(sender);
  if (Array.isArray(trigger))
    return (trigger as readonly ReplyTrigger[]).some((each) => triggers(each, sender));
  return trigger === sender || trigger === sender.inner;
}
