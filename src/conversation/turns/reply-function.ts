import type { AgentWork } from "../../agent/agent-work.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { Member } from "../agents/conversation-member.ts";
import type { Talk } from "../chats/talk.ts";
import type { ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import type { Kept } from "./kept.ts";

/**
 * Senders that a reply function answers: one by name or as an object, those of a class, those accepted by a function,
 * or any of a list.
 */
export type ReplyTrigger =
  | string
  | Member
  | (abstract new (...options: never[]) => TalkingMember)
  | ((sender: TalkingMember, about: TriggerAbout) => boolean)
  | readonly ReplyTrigger[];

/** Second argument of a trigger's function. */
export type TriggerAbout = {
  /** Messages between the two; the last one is the sender's. */
  readonly messages: readonly ConversationMessage[];
};

/** Arguments of a reply function. */
export type ReplyRequest = {
  readonly agent: TalkingMember;
  readonly sender: TalkingMember;
  /** Messages between the two; the last one is to be answered. */
  readonly messages: readonly ConversationMessage[];
  /** Context variables. Changes are kept, also if the function leaves the answer to the next. */
  readonly contextVariables: ContextVariables;
};

/** A final reply ends the chain. Without a message, the agent gives no reply. */
export type ReplyResponse =
  | undefined
  | null
  | { readonly final: false }
  | { readonly final: true; readonly reply: unknown };

/** Answers a message, or leaves it to the next function. Called once per message; its result is recorded. */
export type ReplyFunction = (request: ReplyRequest) => ReplyResponse | Promise<ReplyResponse>;

/**
 * A link of an agent's reply chain: the termination check with the person's input, calls of tools, the model, or a
 * registered function.
 */
export type ReplyLink =
  | { readonly kind: "termination" }
  | { readonly kind: "tools" }
  | { readonly kind: "model" }
  | { readonly kind: "function"; readonly trigger: ReplyTrigger; readonly reply: ReplyFunction }
  | {
      readonly kind: "steps";
      readonly trigger: ReplyTrigger;
      readonly reply: ReplySteps;
      /** The nested chats that it runs, for pictures. */
      readonly chats?: ReadonlyArray<{ readonly recipient: { readonly name: string } }> | undefined;
    };

/** Arguments of turn code made of steps of the run. */
export type StepsRequest = ReplyRequest & {
  /** For chats with others: their messages are not part of this conversation. */
  readonly talk: Talk;
  /** The agent's model, hooks and limits. Usage on its behalf counts for the turn. */
  readonly work: AgentWork;
  readonly kept: Kept;
};

/**
 * Answers with steps of the run, all of them at `place`: chats with others, questions to models. It runs again in each
 * replay of an unfinished turn. Undefined leaves the answer to the next link.
 */
export type ReplySteps = (
  place: RunScope,
  request: StepsRequest,
) => Promise<StepsReply | undefined>;

/** The answer, absent without a reply, and the usage of others for it, by agent. */
export type StepsReply = {
  readonly reply?: ConversationMessage;
  readonly usage?: ReadonlyArray<Readonly<Record<string, Usage>>>;
};

/** Same as `ReplySteps`, for the processing of a received text. Returns the text that the agent sees in this turn. */
export type ReceivedSteps = (
  place: RunScope,
  request: StepsRequest & { readonly content: string },
) => Promise<string>;

/**
 * Makes tools for the agent's model in one turn, from the state of the turn. The agent executes them itself, in the
 * turn. The function is called again in each replay of an unfinished turn.
 */
export type TurnTools = (request: StepsRequest) => readonly Tool[];

/** Throws `invalid_definition` for an invalid trigger. */
export function checkTrigger(trigger: unknown, owner: string): void {
  const known = ["string", "function"].includes(typeof trigger);
  if (known || (typeof trigger === "object" && trigger !== null)) return;
  throw invalidDefinition(
    `agent "${owner}": a trigger is an agent, its name, a class of agents, a function of the sender, or a list of these, got ${preview(trigger)}`,
  );
}

/** Throws `invalid_input` for an invalid result of a reply function, such as a text or AG2's pair. */
export function checkResponse(response: unknown, agent: string): void {
  if (response === undefined || response === null) return;
  if (typeof (response as { readonly final?: unknown }).final === "boolean") return;
  throw new EngineError(
    "invalid_input",
    `a reply function of "${agent}" returns { final: true, reply }, { final: false } or undefined, got ${preview(response)}`,
  );
}

function isClass(
  trigger: ReplyTrigger,
): trigger is abstract new (...options: never[]) => TalkingMember {
  return typeof trigger === "function" && /^class\b/.test(String(trigger));
}

/** True if a trigger matches this sender. */
export function triggers(
  trigger: ReplyTrigger,
  sender: TalkingMember,
  about: TriggerAbout,
): boolean {
  if (typeof trigger === "string") return trigger === sender.name;
  if (isClass(trigger)) return sender instanceof trigger;
  if (typeof trigger === "function") return trigger(sender, about);
  if (Array.isArray(trigger))
    return (trigger as readonly ReplyTrigger[]).some((each) => triggers(each, sender, about));
  return trigger === sender || trigger === sender.inner;
}
