import { definitionOptions, optionNames, type KnownOptions } from "../../base/unknown-options.ts";
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

/** Returns the options of a kind of agent with options of its own. */
export function memberOptions<Options extends ConversableAgentOptions>(
  method: string,
  own: Readonly<Record<Exclude<keyof Options & string, keyof ConversableAgentOptions>, true>>,
  advice?: Readonly<Record<string, string>>,
): KnownOptions {
  return {
    ...MEMBER_OPTIONS,
    method,
    known: [...MEMBER_OPTIONS.known, ...Object.keys(own)],
    advice: { ...MEMBER_OPTIONS.advice, ...advice },
  };
}

/** Options of `registerReply()`. */
export const REPLY_OPTIONS = definitionOptions<{ position?: number; removeOthers?: boolean }>(
  "registerReply()",
  { position: true, removeOthers: true },
  {
    config: "write it as a variable that the function reads",
    ignoreAsyncInSyncChat: "leave it out: every chat is asynchronous",
    removeOtherReplyFuncs: "write removeOthers",
    resetConfig: "leave it out: an agent holds no state of a chat",
  },
);

/** Options of `registerNestedChats()`. */
export const NESTED_OPTIONS = definitionOptions<{ position?: number }>(
  "registerNestedChats()",
  { position: true },
  {
    replyFuncFromNestedChats: "use registerReply()",
    useAsync: "leave it out: every chat is asynchronous",
  },
);
