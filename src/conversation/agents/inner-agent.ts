import { Agent } from "../../agent/description/agent.ts";
import type { ConversableAgent } from "./conversable-agent.ts";
import type { SharedOptions } from "./conversable-agent-options.ts";

/** What a `ConversableAgent` hands on to the agent of crews that works for it. */
const SHARED = {
  hooks: true,
  maxRpm: true,
  stream: true,
  approveTools: true,
  toolFailurePolicy: true,
  maxToolResultCharacters: true,
  memory: true,
  knowledge: true,
  knowledgeSources: true,
  knowledgeConfig: true,
  embedder: true,
  skills: true,
  mcps: true,
  prompts: true,
  functionCallingLlm: true,
  maxIter: true,
  guardrail: true,
  guardrailMaxRetries: true,
} as const satisfies Record<keyof SharedOptions | "maxIter", true>;

/** The agent of crews that works for a member. Throws `invalid_definition` naming the field that is wrong. */
export function innerAgent({
  name,
  systemMessage,
  description,
  llm,
  options,
}: Pick<ConversableAgent, "name" | "systemMessage" | "description" | "llm" | "options">): Agent {
  const shared = Object.fromEntries(
    Object.entries(options).filter(
      ([field, value]) => Object.hasOwn(SHARED, field) && value !== undefined,
    ),
  ) as SharedOptions;
  return new Agent({
    role: name,
    goal: description,
    backstory: systemMessage,
    ...(llm === false ? undefined : { llm }),
    ...shared,
  });
}
