// Makes the runnable values of a conversation defined as data: agents, hand-overs, a pattern.
import { markAsData } from "../../llm/definition-rules.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { chatsFrom } from "./chats-from-definition.ts";
import type { ConversationDefinition } from "./definition.ts";
import { targetFrom } from "./definition-handoffs.ts";
import type { PatternOptions } from "../groups/pattern-options.ts";
import {
  AutoPattern,
  DefaultPattern,
  GraphPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
  type GroupPattern,
} from "../groups/patterns.ts";
import { membersFrom, terminationOf, type MemberRegistry } from "./members-from-definition.ts";
import type { ConversationOptions } from "../runnable-conversation.ts";

const PATTERNS = {
  default: DefaultPattern,
  auto: AutoPattern,
  round_robin: RoundRobinPattern,
  random: RandomPattern,
  manual: ManualPattern,
} as const;

/** Makes the options of a checked definition. Throws `invalid_definition` with one issue for each unregistered name. */
export function conversationOptionsFrom(
  definition: ConversationDefinition,
  registry: MemberRegistry,
): ConversationOptions {
  // First of all: data may name fewer things than code.
  if (registry.fromData === true) markAsData(definition);
  const { name = "conversation", description, maxRounds } = definition;
  const agents = membersFrom(definition, registry);
  const safeguards = safeguardsFrom(definition);
  return {
    name,
    maxRounds,
    ...(chatsFrom(definition, agents) ?? { pattern: patternFrom(definition, agents) }),
    ...(description === undefined ? undefined : { description }),
    ...(safeguards === undefined ? undefined : { safeguards }),
  };
}

/** Returns the policy for all messages between agents. */
function safeguardsFrom({
  safeguardPolicy,
  safeguardLlm,
  maskLlm,
}: ConversationDefinition): ConversationOptions["safeguards"] {
  if (safeguardPolicy === undefined) return undefined;
  return {
    safeguardPolicy,
    ...(safeguardLlm === undefined ? undefined : { safeguardLlm: modelOf(safeguardLlm) }),
    ...(maskLlm === undefined ? undefined : { maskLlm: modelOf(maskLlm) }),
  };
}

/** The form of the settings is checked; the model itself is checked when it is resolved. */
function modelOf(spec: unknown): ModelSpec {
  return spec as ModelSpec;
}

function patternFrom(
  definition: ConversationDefinition,
  agents: ReadonlyMap<string, ConversableAgent>,
): GroupPattern {
  const { pattern, graph, contextVariables, summaryMethod, summaryPrompt } = definition;
  const { sendIntroductions, terminationText } = definition;
  const person = Object.entries(definition.agents).find(([, { human }]) => human === true)?.[0];
  const userAgent = agents.get(pattern?.userAgent ?? person ?? "");
  const shared: Omit<PatternOptions, "initialAgent"> = {
    agents: [...agents.values()].filter((agent) => agent !== userAgent),
    contextVariables,
    ...(userAgent === undefined ? undefined : { userAgent }),
    ...(summaryMethod === undefined ? undefined : { summaryMethod }),
    ...(summaryPrompt === undefined ? undefined : { summaryArgs: { summaryPrompt } }),
    ...(sendIntroductions === undefined ? undefined : { sendIntroductions }),
    groupManager: {
      ...(pattern?.llm === undefined ? undefined : { llm: modelOf(pattern.llm) }),
      ...terminationOf(terminationText),
    },
  };
  if (graph !== undefined) return new GraphPattern({ ...shared, graph });
  const settings: NonNullable<ConversationDefinition["pattern"]> = pattern ?? { kind: "default" };
  const { kind, initialAgent = "", groupAfterWork } = settings;
  const { selectionMessage, excludeTransitMessage } = settings;
  return new PATTERNS[kind]({
    ...shared,
    // The definition was checked: the initial agent is a member.
    initialAgent: agents.get(initialAgent) as ConversableAgent,
    ...(groupAfterWork === undefined ? undefined : { groupAfterWork: targetFrom(groupAfterWork) }),
    ...(selectionMessage === undefined ? undefined : { selectionMessage }),
    ...(excludeTransitMessage === undefined ? undefined : { excludeTransitMessage }),
  });
}
