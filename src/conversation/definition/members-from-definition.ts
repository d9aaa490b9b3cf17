// Members of a conversation defined as data: its own agents, people, and agents of the app.
//
//   CFD1. An agent without a model uses the default model. It asks no person, unless it is `human`.
//   CFD2. Tools, functions, shapes and agents are names in the registry. Each unknown name is an issue, with its path.
import type { Agent } from "../../agent/description/agent.ts";
import type { Issue } from "../../base/error.ts";
import { pointerPart } from "../../base/json-pointer.ts";
import { unusableDefinition } from "../../base/unusable-definition.ts";
import { attempt } from "../../crew/definition/definition-faults.ts";
import { agentOptions, defined } from "../../crew/definition/definition-options.ts";
import {
  RegistryResolver,
  type DefinitionRegistry,
} from "../../crew/definition/definition-registry.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversableAgentOptions } from "../agents/conversable-agent-options.ts";
import type { SharedOptions } from "../agents/member-options.ts";
import { UserProxyAgent } from "../agents/presets.ts";
import type { ConversationDefinition } from "./definition.ts";
import { guardrailsFrom, handoffsFrom } from "./definition-handoffs.ts";
import {
  SHARED_FIELDS,
  type ConversationAgentDefinition,
  type TerminationDefinition,
} from "./definition-schema.ts";
import { contentText, type ConversationMessage } from "../messages.ts";

/** Names available to a conversation defined as data. */
export type MemberRegistry = DefinitionRegistry & {
  /** Agents of the app, by name. */
  readonly agents?: Readonly<Record<string, Agent>>;
};

type Place = { readonly resolver: RegistryResolver; readonly path: string };

/** The default model. */
export const ANY_MODEL: ModelSpec = { spec: undefined };

/** Makes the members of a checked definition, by name. Throws `invalid_definition` with one issue for each fault. */
export function membersFrom(
  definition: ConversationDefinition,
  registry: MemberRegistry,
): ReadonlyMap<string, ConversableAgent> {
  const issues: Issue[] = [];
  const resolver = new RegistryResolver(registry, issues);
  const members = new Map<string, ConversableAgent>();
  for (const [name, member] of Object.entries(definition.agents)) {
    const path = `/agents/${pointerPart(name)}`;
    const options = optionsOf(definition, name, member);
    attempt(issues, path, () => {
      const made =
        member.agent === undefined
          ? memberFrom(member, options, { resolver, path })
          : appMember(member.agent, options, { agents: registry.agents, issues, path });
      if (made !== undefined) members.set(name, made);
    });
  }
  if (issues.length > 0) throw unusableDefinition("the conversation definition", issues);
  return members;
}

/** Returns a member's options that come from the conversation, for any kind of member. */
function optionsOf(
  definition: ConversationDefinition,
  name: string,
  member: ConversationAgentDefinition,
): ConversableAgentOptions {
  const { description, maxConsecutiveAutoReply, defaultAutoReply, terminationText } = member;
  const { humanInputTimeout, humanInputDefault, inputGuardrails, outputGuardrails } = member;
  const { codeExecution = false } = member;
  return {
    name,
    handoffs: handoffsFrom(member, definition),
    inputGuardrails: guardrailsFrom(inputGuardrails),
    outputGuardrails: guardrailsFrom(outputGuardrails),
    ...terminationOf(terminationText),
    ...(member.human === true ? undefined : { humanInputMode: member.humanInputMode ?? "NEVER" }),
    ...definedCode(codeExecution),
    ...defined({
      description,
      maxConsecutiveAutoReply,
      defaultAutoReply,
      humanInputTimeout,
      humanInputDefault,
    }),
  };
}

/** No implicit defaults: a person in data runs code only on request. */
function definedCode(
  codeExecution: NonNullable<ConversationAgentDefinition["codeExecution"]>,
): Pick<ConversableAgentOptions, "codeExecution"> {
  return { codeExecution: codeExecution === false ? false : defined(codeExecution) };
}

function memberFrom(
  member: ConversationAgentDefinition,
  options: ConversableAgentOptions,
  { resolver, path }: Place,
): ConversableAgent {
  const { systemMessage, llm, human = false, responseFormat } = member;
  const all = {
    ...options,
    ...sharedOptions(member, { resolver, path }),
    ...defined({
      systemMessage,
      responseFormat: resolver.schema(responseFormat, `${path}/responseFormat`),
    }),
  };
  // The form of the settings is checked; the model itself is checked when it is resolved.
  const own = llm === undefined ? ANY_MODEL : (llm as ModelSpec | false);
  return human
    ? new UserProxyAgent({ ...all, ...(llm === undefined ? undefined : { llm: own }) })
    : new ConversableAgent({ ...all, llm: own });
}

/** Shared options are read as for a crew agent. */
function sharedOptions(
  member: ConversationAgentDefinition,
  { resolver, path }: Place,
): SharedOptions & Pick<ConversableAgentOptions, "maxIter" | "tools"> {
  const fields = Object.fromEntries(SHARED_FIELDS.map((field) => [field, member[field]]));
  const {
    role: _1,
    goal: _2,
    backstory: _3,
    ...options
  } = agentOptions(
    { ...fields, tools: member.tools, role: "", goal: "", backstory: "" },
    resolver,
    path,
  );
  return options;
}

/** Makes an agent of the app into a separate member with the hand-overs of this conversation. */
function appMember(
  name: string,
  options: ConversableAgentOptions,
  {
    agents = {},
    issues,
    path,
  }: { readonly agents: MemberRegistry["agents"]; readonly issues: Issue[]; readonly path: string },
): ConversableAgent | undefined {
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (agent !== undefined) return ConversableAgent.of(agent, options);
  const known = Object.keys(agents).join(", ") || "none";
  const message = `unknown agent "${name}"; registered: ${known}`;
  issues.push({ path: `${path}/agent`, message });
  return undefined;
}

/** Makes the predicate of a text. */
export function terminationOf(
  text: TerminationDefinition | undefined,
): Pick<ConversableAgentOptions, "isTerminationMsg"> {
  if (text === undefined) return {};
  const ends =
    typeof text === "string"
      ? (content: string) => content === text
      : (content: string) => content.includes(text.contains);
  return { isTerminationMsg: ({ content }: ConversationMessage) => ends(contentText(content)) };
}
