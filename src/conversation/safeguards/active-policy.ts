// Safeguard policies and their scope.
//
//   ACP1. A policy applied to agents holds wherever they talk. A conversation's policy holds for everything in it, also
//         for chats and runs inside.
//   ACP2. Removing a policy affects nothing else: other policies and the agent's hooks stay.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { errorMessage } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import type { SafeguardOptions } from "./safeguard-options.ts";
import { readSafeguardPolicy, type SafeguardPolicy } from "./safeguard-policy.ts";

/** Members under a policy. */
export type SafeguardedMembers = {
  readonly agents: readonly ConversationMember[];
  /** The name of the group's manager, if there is one. */
  readonly manager?: string;
};

/** A parsed policy, with its models. */
export type ActivePolicy = {
  readonly policy: SafeguardPolicy;
  readonly safeguardLlm?: ModelSpec | undefined;
  readonly maskLlm?: ModelSpec | undefined;
};

declare module "../../events/run-services.ts" {
  interface RunServices {
    /** Policies of the conversations around a place, outermost first. */
    readonly safeguards?: readonly ActivePolicy[];
  }
}

const applied = new WeakMap<ConversationMember, readonly ActivePolicy[]>();

type AppliedOptions = SafeguardedMembers &
  Pick<SafeguardOptions, "safeguardLlm" | "maskLlm"> & {
    readonly policy: JsonObject | string;
  };

const OPTIONS = definitionOptions<AppliedOptions>(
  "applySafeguardPolicy()",
  { agents: true, manager: true, policy: true, safeguardLlm: true, maskLlm: true },
  {
    groupchatManager: "write manager, its name",
    maskLlmConfig: "write maskLlm",
    safeguardLlmConfig: "write safeguardLlm",
  },
);

/** Applies a policy to agents, wherever they talk. Throws `invalid_definition` for an invalid policy. */
export function applySafeguardPolicy(options: AppliedOptions): AppliedSafeguardPolicy {
  refuseUnknownOptions(options, OPTIONS);
  const { agents, manager, policy: safeguardPolicy, safeguardLlm, maskLlm } = options;
  const members = { agents, ...(manager === undefined ? undefined : { manager }) };
  const active = readPolicy({ safeguardPolicy, safeguardLlm, maskLlm }, members);
  for (const agent of agents) applied.set(agent, [...appliedTo(agent), active]);
  const isOther = (each: ActivePolicy): boolean => each !== active;
  return {
    remove: () => {
      for (const agent of agents) applied.set(agent, appliedTo(agent).filter(isOther));
    },
  };
}

/** A policy applied to agents. */
export type AppliedSafeguardPolicy = {
  /** Removes the policy; a second call has no effect. */
  readonly remove: () => void;
};

/** Removes all policies applied to agents; their hooks stay. */
export function resetSafeguardPolicy(agents: readonly ConversationMember[]): void {
  for (const agent of agents) applied.delete(agent);
}

/**
 * Returns a place under the policy of a conversation, if it has one. Throws `invalid_definition` for an invalid policy.
 */
export function safeguardedPlace(
  scope: RunScope,
  options: SafeguardOptions,
  members: SafeguardedMembers,
): RunScope {
  const { safeguardPolicy } = options;
  if (safeguardPolicy === undefined) return scope;
  const { safeguards = [] } = scope.services;
  const own = readPolicy({ ...options, safeguardPolicy }, members);
  return scope.offering({ safeguards: [...safeguards, own] });
}

/** Throws `invalid_definition` for a conversation with an invalid policy. */
export function checkSafeguards(options: SafeguardOptions, members: SafeguardedMembers): void {
  const { safeguardPolicy } = options;
  if (safeguardPolicy !== undefined) readPolicy({ ...options, safeguardPolicy }, members);
}

/** Returns the policies for an agent at a place. */
export function policiesAt(
  { services }: RunScope,
  agent: ConversationMember,
): readonly ActivePolicy[] {
  return [...appliedTo(agent), ...(services.safeguards ?? [])];
}

/** True if a policy holds for an agent at a place. */
export function hasPolicies({ services }: RunScope, agent: ConversationMember): boolean {
  return (services.safeguards?.length ?? 0) > 0 || appliedTo(agent).length > 0;
}

function appliedTo(agent: ConversationMember): readonly ActivePolicy[] {
  return applied.get(agent) ?? [];
}

function readPolicy(
  {
    safeguardPolicy,
    safeguardLlm,
    maskLlm,
  }: {
    readonly safeguardPolicy: JsonObject | string;
    readonly safeguardLlm?: ModelSpec | undefined;
    readonly maskLlm?: ModelSpec | undefined;
  },
  { agents, manager }: SafeguardedMembers,
): ActivePolicy {
  const tools = new Map(
    agents.map(({ name, offeredTools, executedTools }) => [
      name,
      [...offeredTools, ...executedTools].flatMap((tool) => [tool.name, tool.safeName]),
    ]),
  );
  const policy = readSafeguardPolicy(parsed(safeguardPolicy), {
    agents: [...tools.keys()],
    toolsOf: (agent) => [...new Set(tools.get(agent))],
    hasJudge: safeguardLlm !== undefined,
    hasMasker: maskLlm !== undefined,
    ...(manager === undefined ? undefined : { manager }),
  });
  return { policy, safeguardLlm, maskLlm };
}

function parsed(policy: JsonObject | string): unknown {
  if (typeof policy !== "string") return policy;
  try {
    return JSON.parse(policy);
  } catch (error) {
    throw invalidDefinition(`the safeguard policy is not JSON: ${errorMessage(error)}`);
  }
}
