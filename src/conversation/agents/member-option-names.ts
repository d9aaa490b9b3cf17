import { optionNames, type KnownOptions } from "../../base/unknown-options.ts";
import type { ConversableAgentOptions } from "./conversable-agent-options.ts";
import { FIELDS_OF_CREWS } from "./shared-fields.ts";

/** Option names of conversation agents, and replacements for other options of AG2. */
export const MEMBER_OPTIONS: KnownOptions = {
  method: "an agent of conversations",
  code: "invalid_definition",
  known: optionNames<ConversableAgentOptions>({
    name: true,
    systemMessage: true,
    allowFormatStrTemplate: true,
    description: true,
    llm: true,
    tools: true,
    targets: true,
    responseFormat: true,
    inputGuardrails: true,
    outputGuardrails: true,
    isTerminationMsg: true,
    maxConsecutiveAutoReply: true,
    humanInputMode: true,
    codeExecution: true,
    defaultAutoReply: true,
    chatMessages: true,
    contextVariables: true,
    handoffs: true,
    observers: true,
    getHumanInput: true,
    humanInputTimeout: true,
    humanInputDefault: true,
    hooks: true,
    ...FIELDS_OF_CREWS,
  }),
  advice: {
    codeExecutionConfig: "write codeExecution",
    functionMap: "write tools",
    functions: "write tools",
    llmConfig: "write llm",
    role: "write name",
    silent: "leave it out: no text is printed",
    updateAgentStateBeforeReply: "write hooks, or registerHook()",
  },
};
