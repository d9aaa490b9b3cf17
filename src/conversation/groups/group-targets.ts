import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Handoffs } from "../targets/handoffs.ts";
import type { RegisteredTargets } from "../targets/recorded-target.ts";
import type { TransitionTarget } from "../targets/targets.ts";

/** The hand-overs of a group's members, by name. */
export type HandoffsByName = ReadonlyMap<string, Handoffs>;

/**
 * Returns a group's targets under names that stay stable across deployments: the registered targets of its members, and
 * those of its hand-overs, by their places.
 */
export function groupTargets({
  members,
  handoffs = new Map(),
  afterWork,
}: {
  readonly members: readonly ConversableAgent[];
  readonly handoffs?: HandoffsByName | undefined;
  readonly afterWork?: TransitionTarget | undefined;
}): RegisteredTargets {
  const targets: Record<string, TransitionTarget> = {};
  if (afterWork !== undefined) targets["afterWork"] = afterWork;
  for (const { name, targets: own, inputGuardrails, outputGuardrails } of members) {
    for (const [key, target] of Object.entries(own)) targets[`${name}/targets/${key}`] = target;
    for (const [side, guardrails] of Object.entries({ inputGuardrails, outputGuardrails }))
      for (const guardrail of guardrails)
        targets[`${name}/${side}/${guardrail.name}`] = guardrail.target;
  }
  for (const [name, { contextConditions, llmConditions, afterWorks }] of handoffs) {
    const lists = { contextConditions, llmConditions, afterWorks };
    for (const [list, conditions] of Object.entries(lists))
      for (const [index, { target }] of conditions.entries())
        targets[`${name}/${list}/${index}`] = target;
  }
  return targets;
}
