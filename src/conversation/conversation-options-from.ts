// A conversation that is data, as the values that run: agents, hand-overs, a pattern.
//
//   CFD1. An agent without a model named has the one that is used where none is named. It asks no person, unless it is `human`.
//   CFD2. Tools are named from the registry. Each name that is not there is an issue, with its path.
import { EngineError, type Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import {
  RegistryResolver,
  type DefinitionRegistry,
} from "../crew/definition/definition-registry.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { Tool } from "../tools/tool.ts";
import { ConversableAgent } from "./agents/conversable-agent.ts";
import { UserProxyAgent } from "./agents/presets.ts";
import type { ConversationDefinition } from "./definition.ts";
import { guardrailsFrom, handoffsFrom, targetFrom } from "./definition-handoffs.ts";
import type { ConversationAgentDefinition } from "./definition-schema.ts";
import {
  AutoPattern,
  DefaultPattern,
  GraphPattern,
  ManualPattern,
  RandomPattern,
  RoundRobinPattern,
  type GroupPattern,
  type PatternOptions,
} from "./groups/patterns.ts";
import type { ConversationOptions } from "./runnable-conversation.ts";

/** The model that is used where none is named. */
const ANY_MODEL: ModelSpec = { spec: undefined };

const PATTERNS = {
  default: DefaultPattern,
  auto: AutoPattern,
  round_robin: RoundRobinPattern,
  random: RandomPattern,
  manual: ManualPattern,
} as const;

/** What a checked definition says. Throws `invalid_definition` with one issue for each thing that is not registered. */
export function conversationOptionsFrom(
  definition: ConversationDefinition,
  registry: DefinitionRegistry,
): ConversationOptions {
  const { name = "conversation", description, maxRounds } = definition;
  const agents = agentsFrom(definition, registry);
  const safeguards = safeguardsFrom(definition);
  return {
    name,
    maxRounds,
    pattern: patternFrom(definition, agents),
    ...(description === undefined ? undefined : { description }),
    ...(safeguards === undefined ? undefined : { safeguards }),
  };
}

function agentsFrom(
  definition: ConversationDefinition,
  registry: DefinitionRegistry,
): ReadonlyMap<string, ConversableAgent> {
  const issues: Issue[] = [];
  const resolver = new RegistryResolver(registry, issues);
  const agents = Object.entries(definition.agents).map(([name, agent]) => {
    const tools = resolver.tools(agent.tools, `/agents/${pointerPart(name)}/tools`);
    return [name, agentFrom(definition, { name, agent, tools })] as const;
  });
  const [first] = issues;
  if (first !== undefined)
    throw new EngineError(
      "invalid_definition",
      `the conversation definition cannot be used: ${first.path}: ${first.message}`,
      { issues },
    );
  return new Map(agents);
}

function agentFrom(
  definition: ConversationDefinition,
  {
    name,
    agent,
    tools,
  }: {
    readonly name: string;
    readonly agent: ConversationAgentDefinition;
    readonly tools: readonly Tool[];
  },
): ConversableAgent {
  const { systemMessage, description, llm, human = false, maxConsecutiveAutoReply } = agent;
  const options = {
    name,
    tools,
    handoffs: handoffsFrom(agent, definition),
    ...(systemMessage === undefined ? undefined : { systemMessage }),
    ...(description === undefined ? undefined : { description }),
    ...(maxConsecutiveAutoReply === undefined ? undefined : { maxConsecutiveAutoReply }),
    ...guardrailOptions(agent),
  };
  const own = llm === undefined ? ANY_MODEL : llm !== false && modelOf(llm);
  return human
    ? new UserProxyAgent({ ...options, ...(llm === undefined ? undefined : { llm: own }) })
    : new ConversableAgent({
        ...options,
        llm: own,
        humanInputMode: agent.humanInputMode ?? "NEVER",
      });
}

/** The guardrails of an agent, as options of it. */
function guardrailOptions({ inputGuardrails, outputGuardrails }: ConversationAgentDefinition) {
  return {
    ...(inputGuardrails === undefined
      ? undefined
      : { inputGuardrails: guardrailsFrom(inputGuardrails) }),
    ...(outputGuardrails === undefined
      ? undefined
      : { outputGuardrails: guardrailsFrom(outputGuardrails) }),
  };
}

/** The policy for all that passes between agents. */
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

/** Settings were checked by their form; what a model makes of them is checked when it is found. */
function modelOf(spec: unknown): ModelSpec {
  return spec as ModelSpec;
}

function patternFrom(
  definition: ConversationDefinition,
  agents: ReadonlyMap<string, ConversableAgent>,
): GroupPattern {
  const { pattern, graph, contextVariables, summaryMethod, summaryPrompt, sendIntroductions } =
    definition;
  const person = Object.entries(definition.agents).find(([, { human }]) => human === true)?.[0];
  const userAgent = agents.get(pattern?.userAgent ?? person ?? "");
  const shared: Omit<PatternOptions, "initialAgent"> = {
    agents: [...agents.values()].filter((agent) => agent !== userAgent),
    contextVariables,
    ...(userAgent === undefined ? undefined : { userAgent }),
    ...(summaryMethod === undefined ? undefined : { summaryMethod }),
    ...(summaryPrompt === undefined ? undefined : { summaryArgs: { summaryPrompt } }),
    ...(sendIntroductions === undefined ? undefined : { sendIntroductions }),
  };
  if (graph !== undefined) return new GraphPattern({ ...shared, graph });
  const settings: NonNullable<ConversationDefinition["pattern"]> = pattern ?? { kind: "default" };
  const { kind, initialAgent = "", llm, groupAfterWork } = settings;
  const { selectionMessage, excludeTransitMessage } = settings;
  return new PATTERNS[kind]({
    ...shared,
    // The definition was checked: the initial agent is a member.
    initialAgent: agents.get(initialAgent) as ConversableAgent,
    ...(llm === undefined ? undefined : { groupManager: { llm: modelOf(llm) } }),
    ...(groupAfterWork === undefined ? undefined : { groupAfterWork: targetFrom(groupAfterWork) }),
    ...(selectionMessage === undefined ? undefined : { selectionMessage }),
    ...(excludeTransitMessage === undefined ? undefined : { excludeTransitMessage }),
  });
}
