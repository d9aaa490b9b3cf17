// Targets of hand-overs.
//
//   TGT1. Every target is valid in every position: as a condition's target, as after-work, as the result of a tool, or
//         forced.
//   TGT2. A target that runs something (nested chats, a group, a function) returns to the agent that handed over.
//   TGT3. A tool's result is a target only if one of these functions made it: data that looks like a target stays data.
import { INNER_CHAT_OPTIONS } from "../chats/chat-option-names.ts";
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview, type JsonObject } from "../../base/json.ts";
import type { Member } from "../agents/conversation-member.ts";
import type { InnerChat } from "../chats/inner-chat.ts";
import type { ContextVariables } from "../context-variables.ts";
import { memberName } from "../names.ts";

/** Target of a hand-over. */
export type TransitionTarget =
  | { readonly kind: "agent"; readonly name: string }
  /** The same agent again. */
  | { readonly kind: "stay" }
  | { readonly kind: "terminate" }
  | { readonly kind: "revertToUser" }
  /** A person chooses. */
  | { readonly kind: "askUser" }
  | { readonly kind: "random"; readonly names: readonly string[] }
  /** A model chooses; the message may have the placeholder `{agentlist}`. */
  | { readonly kind: "groupManager"; readonly selectionMessage?: string }
  | { readonly kind: "nestedChat"; readonly chats: readonly TargetChat[] }
  | {
      readonly kind: "groupChat";
      /** The inner conversation; its engine knows its type. */
      readonly conversation: object;
      /** @default 20 */
      readonly maxRounds: number;
      /** Opening of the inner conversation. @default the last message before the hand-over */
      readonly messages?: string;
    }
  | {
      readonly kind: "function";
      readonly run: TargetFunction;
      readonly extraArguments: JsonObject;
    };

/** A chat of a target. Its two sides are agents, or members by name. */
export type TargetChat = Omit<InnerChat, "sender" | "recipient"> & {
  readonly recipient: Member | string;
  /** @default the agent of the hand-over */
  readonly sender?: Member | string;
};

/** Chooses the target. `lastMessage` is the text of the last message. */
export type TargetFunction = (
  lastMessage: string,
  contextVariables: ContextVariables,
  extraArguments: JsonObject,
) => FunctionTargetResult | Promise<FunctionTargetResult>;

/** Result of a target function. */
export type FunctionTargetResult = {
  readonly target: TransitionTarget;
  /** A note to the next speaker, or notes to members by name. */
  readonly messages?: string | readonly FunctionTargetMessage[];
  /** Variables to set. */
  readonly contextVariables?: JsonObject;
};

/** A note of a target function to one member. */
export type FunctionTargetMessage = { readonly content: string; readonly to: string };

/** An agent, or its name. A crew agent's name is its role. */
export type AgentRef = string | { readonly name: string } | { readonly role: string };

/**
 * Targets made by the functions below. A hand-over returned by a tool is recorded as data right after the call, so the
 * set need not survive a restart.
 */
const MADE = new WeakSet<object>();

/** True if a value is a target made by one of the functions below. */
export function isTarget(value: unknown): value is TransitionTarget {
  return typeof value === "object" && value !== null && MADE.has(value);
}

/** Throws `invalid_definition` for an invalid target, such as an agent itself. */
export function checkTarget(target: unknown): void {
  const { kind, name } = Object(target) as { readonly kind?: unknown; readonly name?: unknown };
  if (typeof kind === "string") return;
  const what = typeof name === "string" ? `the agent ${preview(name)} itself` : preview(target);
  throw invalidDefinition(
    `expected a target, such as agentTarget(agent) or terminateTarget(), got ${what}`,
  );
}

function made(target: TransitionTarget): TransitionTarget {
  MADE.add(target);
  return Object.freeze(target);
}

/** Leads to a member. */
export function agentTarget(agent: AgentRef): TransitionTarget {
  return made({ kind: "agent", name: nameOf(agent) });
}

/** Leads to the same agent again. */
export function stayTarget(): TransitionTarget {
  return made({ kind: "stay" });
}

/** Ends the conversation. */
export function terminateTarget(): TransitionTarget {
  return made({ kind: "terminate" });
}

/** Leads to the user agent. */
export function revertToUserTarget(): TransitionTarget {
  return made({ kind: "revertToUser" });
}

/** Lets a person choose the next speaker. */
export function askUserTarget(): TransitionTarget {
  return made({ kind: "askUser" });
}

/** Leads to one of these agents at random, never to the agent of the hand-over. */
export function randomAgentTarget(agents: readonly AgentRef[]): TransitionTarget {
  return made({ kind: "random", names: agents.map(nameOf) });
}

/** Lets a model choose the next speaker. */
export function groupManagerTarget(selectionMessage?: string): TransitionTarget {
  return made({
    kind: "groupManager",
    ...(selectionMessage === undefined ? {} : { selectionMessage }),
  });
}

/** Runs chats, answers with their summary, and then returns. */
export function nestedChatTarget(chats: readonly TargetChat[]): TransitionTarget {
  if (!Array.isArray(chats) || chats.length === 0)
    throw invalidDefinition(
      `nestedChatTarget needs a list of at least one chat, got ${preview(chats)}`,
    );
  for (const chat of chats) refuseUnknownOptions(chat, INNER_CHAT_OPTIONS);
  return made({ kind: "nestedChat", chats });
}

const GROUP_CHAT_TARGET = definitionOptions<{ maxRounds?: number; messages?: string }>(
  "groupChatTarget()",
  { maxRounds: true, messages: true },
);

/** Runs another conversation, answers with its summary, and then returns. */
export function groupChatTarget(
  conversation: object,
  options: { readonly maxRounds?: number; readonly messages?: string } = {},
): TransitionTarget {
  refuseUnknownOptions(options, GROUP_CHAT_TARGET);
  return made({ kind: "groupChat", conversation, maxRounds: 20, ...options });
}

/** Lets a function decide. Throws `invalid_definition` for other values. */
export function functionTarget(
  run: TargetFunction,
  extraArguments: JsonObject = {},
): TransitionTarget {
  if (typeof run !== "function")
    throw invalidDefinition(`functionTarget needs a function, got ${preview(run)}`);
  return made({ kind: "function", run, extraArguments });
}

/** Result of a target: a speaker, a chooser, work before `owner` speaks again, or the end. */
export type TargetDecision =
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "select"; readonly method: "manual" }
  | { readonly kind: "select"; readonly method: "auto"; readonly selectionMessage?: string }
  | { readonly kind: "run"; readonly target: RunnableTarget; readonly owner: string }
  | { readonly kind: "end" };

/** A target that runs something. */
export type RunnableTarget = Extract<
  TransitionTarget,
  { kind: "nestedChat" | "groupChat" | "function" }
>;

/** Members around a target while it is resolved. */
export type TargetSurroundings = {
  /** The agent of the hand-over. */
  readonly currentAgent: string;
  readonly members: readonly string[];
  readonly userAgent?: string | undefined;
  /** A number from 0 to below 1. */
  readonly random?: (() => number) | undefined;
};

/** Resolves a target. Throws `invalid_input` for a target without a speaker. */
export function resolveTarget(
  target: TransitionTarget,
  surroundings: TargetSurroundings,
): TargetDecision {
  const { currentAgent, members, userAgent } = surroundings;
  switch (target.kind) {
    case "agent":
      if (members.includes(target.name)) return { kind: "agent", name: target.name };
      throw leadsNowhere(`"${target.name}" is no member; members: ${members.join(", ")}`);
    case "stay":
      return { kind: "agent", name: currentAgent };
    case "terminate":
      return { kind: "end" };
    case "revertToUser":
      if (userAgent !== undefined) return { kind: "agent", name: userAgent };
      throw leadsNowhere("it reverts to the user, but the conversation has no user agent");
    case "askUser":
      return { kind: "select", method: "manual" };
    case "random":
      return { kind: "agent", name: randomName(target.names, surroundings) };
    case "groupManager": {
      const { selectionMessage } = target;
      const select = { kind: "select", method: "auto" } as const;
      return selectionMessage === undefined ? select : { ...select, selectionMessage };
    }
    default:
      return { kind: "run", target, owner: currentAgent };
  }
}

/** Returns a target's label for events, notices and tool names. */
export function targetLabel(target: TransitionTarget): string {
  if (target.kind === "agent") return target.name;
  return LABELS[target.kind];
}

/** Returns the members named by a target. */
export function namedMembers(target: TransitionTarget): readonly string[] {
  if (target.kind === "agent") return [target.name];
  return target.kind === "random" ? target.names : [];
}

const LABELS: Readonly<Record<Exclude<TransitionTarget["kind"], "agent">, string>> = {
  stay: "stay",
  terminate: "terminate",
  revertToUser: "revert_to_user",
  askUser: "ask_user",
  random: "random_agent",
  groupManager: "group_manager",
  nestedChat: "nested_chat",
  groupChat: "group_chat",
  function: "function",
};

function randomName(
  names: readonly string[],
  { currentAgent, members, random = () => 0 }: TargetSurroundings,
): string {
  const others = names.filter((name) => name !== currentAgent && members.includes(name));
  const name = others[Math.min(Math.floor(random() * others.length), others.length - 1)];
  if (name !== undefined) return name;
  throw leadsNowhere(
    `${names.join(", ") || "an empty list of agents"} has no member besides "${currentAgent}"`,
  );
}

function leadsNowhere(why: string): EngineError {
  return new EngineError("invalid_input", `a hand-over leads nowhere: ${why}`);
}

function nameOf(agent: AgentRef): string {
  const { name = agent, role } = Object(agent) as { readonly name?: unknown; role?: unknown };
  if (typeof role === "string" && typeof name !== "string") return memberName(role);
  if (typeof name === "string" && name !== "") return name;
  throw invalidDefinition(`a target needs an agent or its name, got ${preview(agent)}`);
}
