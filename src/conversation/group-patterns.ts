// Hand-overs that a pattern adds to its agents.
import { invalidDefinition } from "../base/invalid-definition.ts";
import type { Handoffs } from "./targets/handoffs.ts";
import {
  agentTarget,
  askUserTarget,
  groupManagerTarget,
  randomAgentTarget,
  type TransitionTarget,
} from "./targets/targets.ts";

/** Continuation of a group without a matching hand-over: none, by a model, in turn, at random, or by a person. */
export type PatternKind = "default" | "auto" | "round_robin" | "random" | "manual";

/** A group before its pattern. */
export type GroupMembers = {
  readonly initialAgent: string;
  /** Agents without the user agent. */
  readonly agents: readonly string[];
  readonly userAgent?: string;
  readonly handoffsOf: (name: string) => Handoffs;
  /** For the pattern "default": next target without a matching hand-over. */
  readonly groupAfterWork: TransitionTarget;
  /** For the pattern "auto": prompt of the model. */
  readonly selectionMessage?: string;
};

/** A group with the additions of its pattern. */
export type PatternedGroup = {
  readonly handoffs: ReadonlyMap<string, Handoffs>;
  readonly groupAfterWork: TransitionTarget;
};

/** Adds a pattern to a group. Throws `invalid_definition` for an initial agent outside of the group. */
export function withPattern(kind: PatternKind, group: GroupMembers): PatternedGroup {
  const { initialAgent, agents, userAgent, handoffsOf, groupAfterWork } = group;
  if (!agents.includes(initialAgent) && initialAgent !== userAgent)
    throw invalidDefinition(
      `the initial agent "${initialAgent}" is no member; members: ${agents.join(", ")}`,
    );
  const order = [
    initialAgent,
    ...agents.filter((name) => name !== initialAgent),
    ...(userAgent === undefined || userAgent === initialAgent ? [] : [userAgent]),
  ];
  const handoffs = new Map(order.map((name) => [name, handoffsOf(name).copy()]));
  switch (kind) {
    case "auto":
      return { handoffs, groupAfterWork: groupManagerTarget(group.selectionMessage) };
    case "manual":
      return { handoffs, groupAfterWork: askUserTarget() };
    case "round_robin":
      return { handoffs: followed(handoffs, (index) => inTurn(order, index)), groupAfterWork };
    case "random":
      return { handoffs: followed(handoffs, (index) => anyOther(order, index)), groupAfterWork };
    default:
      return { handoffs, groupAfterWork };
  }
}

/** Sets an after-work for each agent, in place of its own. */
function followed(
  handoffs: ReadonlyMap<string, Handoffs>,
  targetOf: (index: number) => TransitionTarget,
): ReadonlyMap<string, Handoffs> {
  return new Map(
    Array.from(handoffs, ([name, own], index) => [name, own.setAfterWork(targetOf(index))]),
  );
}

function inTurn(order: readonly string[], index: number): TransitionTarget {
  return agentTarget(order[(index + 1) % order.length] ?? "");
}

function anyOther(order: readonly string[], index: number): TransitionTarget {
  return randomAgentTarget(order.filter((_, other) => other !== index));
}
