// Candidates for the next speaker of a group chat, before a model or person is asked.
//
//   SPK1. A call goes to members with its function. Candidates then pass repeats, transitions and policies, in this
//         order.
//   SPK2. A single candidate is chosen without a question; no candidate ends the chat.
//   SPK3. A speaker without successors ends the chat; the restriction is not lifted (with compat "ag2-0.14" it is).
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { Compat } from "./compat.ts";
import type { Transitions } from "./targets/transitions.ts";
import type { ConversationMessage } from "./messages.ts";

/** Selection method of a group chat. */
export type SelectionMethod = "auto" | "manual" | "random" | "round_robin";

/** Arguments of an eligibility policy. */
export type EligibilityContext = {
  /** Number of messages: 1 at the first selection. */
  readonly round: number;
  readonly lastSpeaker: string | null;
  readonly participants: readonly string[];
};

/** Returns true if a member may speak now. All policies of a chat must agree. */
export type EligibilityPolicy = (name: string, context: EligibilityContext) => boolean;

/** A group chat at the moment of a selection. */
export type SelectionState = {
  readonly agents: readonly string[];
  readonly method: SelectionMethod;
  readonly lastSpeaker: string | undefined;
  readonly messages: readonly ConversationMessage[];
  readonly transitions: Transitions;
  readonly allowRepeatSpeaker?: boolean | readonly string[];
  /** Returns the functions that a member can execute. Without it, calls are ignored. */
  readonly functionsOf?: (name: string) => readonly string[];
  readonly policies?: readonly EligibilityPolicy[];
  /** A number from 0 to below 1, for the method "random". */
  readonly random?: () => number;
  readonly compat?: Compat;
};

/** Reason for the end of a chat without a candidate. */
export const NO_NEXT_SPEAKER = "no next speaker selected";

/** A chosen speaker, the end of the chat, or several candidates for a model (`auto`) or a person (`manual`). */
export type SpeakerChoice =
  | { readonly kind: "chosen"; readonly name: string }
  | { readonly kind: "ended"; readonly reason: typeof NO_NEXT_SPEAKER }
  | {
      readonly kind: "open";
      readonly method: "auto" | "manual";
      readonly candidates: readonly string[];
    };

const METHODS: readonly string[] = ["auto", "manual", "random", "round_robin"];
const ENDED = { kind: "ended", reason: NO_NEXT_SPEAKER } as const;

/** Reads the name of a method in any case. Throws `invalid_definition` for an unknown method. */
export function selectionMethod(name: unknown): SelectionMethod {
  const lower = typeof name === "string" ? name.toLowerCase() : "";
  if (!METHODS.includes(lower))
    throw new EngineError(
      "invalid_definition",
      `a speaker selection method is one of ${METHODS.join(", ")}, or a function, got ${preview(name)}`,
    );
  return lower as SelectionMethod;
}

/**
 * Chooses the next speaker, or returns the candidates for a model or person. Throws `invalid_input` for fewer than two
 * members, and for calls without an executor.
 */
export function chooseSpeaker(state: SelectionState): SpeakerChoice {
  const { agents, method, lastSpeaker, random = () => 0 } = state;
  if (agents.length < 2)
    throw new EngineError(
      "invalid_input",
      `a group chat needs at least 2 members, got ${agents.length}: add members, or let two agents talk directly`,
    );
  const candidates = speakerCandidates(state);
  const [only] = candidates;
  if (only === undefined) return ENDED;
  if (candidates.length === 1) return { kind: "chosen", name: only };
  switch (method) {
    case "round_robin":
      return { kind: "chosen", name: nextInOrder(agents, lastSpeaker, candidates) };
    case "random": {
      const place = Math.min(Math.floor(random() * candidates.length), candidates.length - 1);
      return { kind: "chosen", name: candidates[place] ?? only };
    }
    default:
      return { kind: "open", method, candidates };
  }
}

/**
 * Returns the first candidate after the last speaker in the order of members; the first candidate if the last speaker
 * is not a member.
 */
export function nextInOrder(
  agents: readonly string[],
  lastSpeaker: string | undefined,
  candidates: readonly string[],
): string {
  const start = lastSpeaker === undefined ? 0 : agents.indexOf(lastSpeaker) + 1;
  const order = [...agents.slice(start), ...agents.slice(0, start)];
  const next = order.find((name) => candidates.includes(name)) ?? candidates[0];
  if (next === undefined)
    throw new EngineError("internal", "the list of candidates for the next speaker is empty");
  return next;
}

/**
 * Reads the result of a selection function: a member, a method for this round, or the end. Throws `invalid_input` for
 * other values.
 */
export function readSelection(
  selection: unknown,
  agents: readonly string[],
): { readonly kind: "method"; readonly method: SelectionMethod } | SpeakerChoice {
  if (selection === null || selection === undefined) return ENDED;
  if (typeof selection === "object" && "name" in selection) {
    const { name } = selection;
    if (typeof name === "string" && agents.includes(name)) return { kind: "chosen", name };
    throw new EngineError(
      "invalid_input",
      `the speaker selection function chose ${preview(name)}, who is no member; members: ${agents.join(", ")}`,
    );
  }
  if (typeof selection === "string") return { kind: "method", method: selectionMethod(selection) };
  throw new EngineError(
    "invalid_input",
    `a speaker selection function returns a member, the name of a method or null, got ${preview(selection)}`,
  );
}

/** Returns the possible speakers, in the order of members. */
export function speakerCandidates(state: SelectionState): readonly string[] {
  const { agents, lastSpeaker } = state;
  const able = executors(state);
  const isFiltered = able !== undefined;
  const eligible = isFiltered ? allowedByPolicies(able, state) : agents;
  const others = eligible.filter((name) => name !== lastSpeaker || mayRepeat(state));
  const follow = followers(state);
  if (follow === "nobody") return [];
  const allowed = follow === "anybody" ? others : others.filter((name) => follow.includes(name));
  if (allowed.length > 0) return isFiltered ? allowed : allowedByPolicies(allowed, state);
  if (isFiltered && (state.policies?.length ?? 0) > 0 && state.transitions.isConstrained) return [];
  return isFiltered ? others : allowedByPolicies(others, state);
}

/**
 * Returns the members that can execute all calls of the last message, else those with any function; undefined without
 * calls.
 */
function executors({
  agents,
  messages,
  functionsOf,
}: SelectionState): readonly string[] | undefined {
  if (functionsOf === undefined) return undefined;
  const last = messages.at(-1);
  const names = [
    ...(last?.toolCalls ?? []).map(({ name }) => name),
    ...(last?.functionCall === undefined ? [] : [last.functionCall.name]),
  ];
  if (names.length === 0) return undefined;
  const able = agents.filter((agent) => names.every((name) => functionsOf(agent).includes(name)));
  if (able.length > 0) return able;
  const equipped = agents.filter((agent) => functionsOf(agent).length > 0);
  if (equipped.length > 0) return equipped;
  throw new EngineError(
    "invalid_input",
    `no member can execute ${names.join(", ")}: register the functions with a member, or set funcCallFilter to false`,
  );
}

function mayRepeat({ allowRepeatSpeaker, lastSpeaker }: SelectionState): boolean {
  if (allowRepeatSpeaker === undefined || typeof allowRepeatSpeaker === "boolean")
    return allowRepeatSpeaker ?? true;
  return lastSpeaker !== undefined && allowRepeatSpeaker.includes(lastSpeaker);
}

function followers({
  agents,
  lastSpeaker,
  transitions,
  compat,
}: SelectionState): readonly string[] | "anybody" | "nobody" {
  if (lastSpeaker === undefined) return "anybody";
  const allowed = transitions.allowed.get(lastSpeaker);
  if (allowed === undefined) return agents.includes(lastSpeaker) ? "nobody" : "anybody";
  const endsHere = transitions.isConstrained && allowed.length === 0 && compat === undefined;
  return endsHere ? "nobody" : allowed;
}

function allowedByPolicies(
  names: readonly string[],
  { agents, lastSpeaker, messages, policies = [] }: SelectionState,
): readonly string[] {
  const context = {
    round: messages.length,
    lastSpeaker: lastSpeaker ?? null,
    participants: agents,
  };
  return names.filter((name) => policies.every((policy) => policy(name, context)));
}
