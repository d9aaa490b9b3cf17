// Who speaks next in a group with hand-overs.
//
//   NXS1. In this order: the initial agent first of all; calls to the tool executor; a target of the last tools; a forced target; back to whom called tools; after-work; the group's after-work.
//   NXS2. A target that was not used is kept: calls are executed first, and may replace it.
//   NXS3. After the user without an after-work of its own, whoever spoke before the user continues.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { MissingVariable } from "./evaluate-expression.ts";
import { afterWork, type Handoffs } from "./handoffs.ts";
import type { ConversationMessage } from "./messages.ts";
import { resolveTarget, type TargetDecision, type TransitionTarget } from "./targets.ts";

/** A group at the moment when a turn has ended. */
export type GroupState = {
  /** The transcript; each message has the name of who said it. */
  readonly messages: readonly ConversationMessage[];
  /** Whether anybody has been chosen before. */
  readonly isFirst: boolean;
  readonly initialAgent: string;
  /** All who can speak, the user agent among them, without the tool executor. */
  readonly members: readonly string[];
  readonly userAgent?: string;
  readonly handoffsOf: (name: string) => Handoffs;
  readonly variables: JsonObject;
  readonly groupAfterWork: TransitionTarget;
  /** What the tools, a hand-over or a guardrail of the last turn asked for. */
  readonly pendingTarget?: TransitionTarget;
  /** What somebody outside the group asked for. */
  readonly forcedTarget?: TransitionTarget;
  /** A number from 0 to below 1. */
  readonly random?: () => number;
  readonly missing?: MissingVariable;
};

/** Who comes next, and what decided it. `pending` and `forced` targets are used up when either of them decided. */
export type NextSpeaker =
  | { readonly cause: "tools"; readonly decision: { readonly kind: "executeTools" } }
  | {
      readonly cause:
        | "initial"
        | "pending"
        | "forced"
        | "toolResult"
        | "beforeUser"
        | "afterWork"
        | "groupAfterWork";
      readonly decision: TargetDecision;
      /** What decided, where it was a target. */
      readonly target?: TransitionTarget;
      /** Whose hand-over it was. */
      readonly source: string;
    };

/** Chooses who comes next. Throws `invalid_input` where a target leads to nobody, or no member has spoken. */
export function nextSpeaker(state: GroupState): NextSpeaker {
  const { messages, initialAgent, pendingTarget, forcedTarget } = state;
  if (state.isFirst)
    return {
      cause: "initial",
      decision: { kind: "agent", name: initialAgent },
      source: initialAgent,
    };
  const last = messages.at(-1);
  if ((last?.toolCalls?.length ?? 0) > 0)
    return { cause: "tools", decision: { kind: "executeTools" } };
  if (pendingTarget !== undefined)
    return follow("pending", pendingTarget, { state, source: lastMember(state) ?? initialAgent });
  if (forcedTarget !== undefined)
    return follow("forced", forcedTarget, { state, source: lastMember(state) ?? initialAgent });
  const source = lastMember(state);
  if (source === undefined)
    throw new EngineError(
      "invalid_input",
      `nobody can be next: none of the members ${state.members.join(", ")} has said anything`,
    );
  if (last?.role === "tool") return back("toolResult", source);
  if (source === state.userAgent && state.handoffsOf(source).afterWorks.length === 0)
    return back("beforeUser", lastMember(state, source) ?? initialAgent);
  const own = afterWork(state.handoffsOf(source), state.variables, state.missing);
  return own === undefined
    ? follow("groupAfterWork", state.groupAfterWork, { state, source })
    : follow("afterWork", own.target, { state, source });
}

type TargetCause = "pending" | "forced" | "afterWork" | "groupAfterWork";

function follow(
  cause: TargetCause,
  target: TransitionTarget,
  { state, source }: { state: GroupState; source: string },
): NextSpeaker {
  const { members, userAgent, random } = state;
  const decision = resolveTarget(target, { currentAgent: source, members, userAgent, random });
  return { cause, decision, target, source };
}

function back(cause: "toolResult" | "beforeUser", name: string): NextSpeaker {
  return { cause, decision: { kind: "agent", name }, source: name };
}

/** The member who spoke last, or the last one who is not `except`. */
function lastMember({ messages, members }: GroupState, except?: string): string | undefined {
  return messages.findLast(
    ({ name }) => name !== undefined && name !== except && members.includes(name),
  )?.name;
}
