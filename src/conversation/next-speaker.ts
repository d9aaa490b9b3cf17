// Next speaker of a group with hand-overs.
//
//   NXS1. Order of decisions: the initial agent at the start; calls to the tool executor; a target of the last tools; a
//         forced target; back to the caller of tools; after-work; the group's after-work.
//   NXS2. An unused target is kept: calls are executed first, and may replace it.
//   NXS3. After a user without an after-work, the speaker before the user continues.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { MissingVariable } from "./expression/evaluate-expression.ts";
import { afterWork, type Handoffs } from "./targets/handoffs.ts";
import type { ConversationMessage } from "./messages.ts";
import { resolveTarget, type TargetDecision, type TransitionTarget } from "./targets/targets.ts";

/** A group right after a turn. */
export type GroupState = {
  /** The transcript: messages with the names of their authors. */
  readonly messages: readonly ConversationMessage[];
  /** True if no speaker has been chosen yet. */
  readonly isFirst: boolean;
  readonly initialAgent: string;
  /** All possible speakers, including the user agent, without the tool executor. */
  readonly members: readonly string[];
  readonly userAgent?: string;
  readonly handoffsOf: (name: string) => Handoffs;
  readonly variables: JsonObject;
  readonly groupAfterWork: TransitionTarget;
  /** Target of the last turn's tools, hand-over or guardrail. */
  readonly pendingTarget?: TransitionTarget;
  /** Target set from outside the group. */
  readonly forcedTarget?: TransitionTarget;
  /** A number from 0 to below 1. */
  readonly random?: () => number;
  readonly missing?: MissingVariable;
};

/** The next speaker, and the cause. `pending` and `forced` targets are used up when either of them decided. */
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
      /** The deciding target, if any. */
      readonly target?: TransitionTarget;
      /** The agent of the hand-over. */
      readonly source: string;
    };

/** Chooses the next speaker. Throws `invalid_input` for a target without a speaker, or if no member has spoken. */
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
      `the next speaker is unknown: no message is from a member (${state.members.join(", ")})`,
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

/** Returns the last speaking member, or the last one other than `except`. */
function lastMember({ messages, members }: GroupState, except?: string): string | undefined {
  return messages.findLast(
    ({ name }) => name !== undefined && name !== except && members.includes(name),
  )?.name;
}
