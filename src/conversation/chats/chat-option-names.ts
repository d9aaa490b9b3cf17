// Options of chats: of one chat, of a chat in a queue, and of a chat before an agent's answer.
import { optionNames, type KnownOptions } from "../../base/unknown-options.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { InnerChat } from "./inner-chat.ts";
import type { PrerequisiteChat } from "./queued-chat.ts";

/** Names of the options of every chat. */
export const CHAT_OPTION_NAMES: Readonly<Record<keyof ChatOptions, true>> = {
  safeguardPolicy: true,
  safeguardLlm: true,
  maskLlm: true,
  message: true,
  maxTurns: true,
  clearHistory: true,
  summaryMethod: true,
  summaryArgs: true,
  carryover: true,
};

/** Replacements for options of AG2 that a chat does not have. */
export const CHAT_OPTION_ADVICE = {
  cache: "write cacheSeed in the settings of llm",
  maskLlmConfig: "write maskLlm",
  messages: "write message",
  safeguardLlmConfig: "write safeguardLlm",
  silent: "leave it out: no text is printed",
  useAsync: "leave it out: every chat is asynchronous",
};

const QUEUED = {
  ...CHAT_OPTION_NAMES,
  sender: true,
  recipient: true,
  finishedChatIndexesToExcludeFromCarryover: true,
} as const;

/** Options of `initiateChat()`. */
export const CHAT_OPTIONS: KnownOptions = {
  method: "a chat",
  code: "invalid_definition",
  known: optionNames<ChatOptions>(CHAT_OPTION_NAMES),
  advice: { ...CHAT_OPTION_ADVICE, recipient: "write it as the first argument" },
};

/** Options of a chat in a queue. */
export const QUEUED_CHAT_OPTIONS: KnownOptions = {
  method: "a chat of a queue",
  code: "invalid_definition",
  known: optionNames<PrerequisiteChat>({ ...QUEUED, chatId: true, prerequisites: true }),
  advice: CHAT_OPTION_ADVICE,
};

/** Options of a nested chat. */
export const INNER_CHAT_OPTIONS: KnownOptions = {
  method: "a nested chat",
  code: "invalid_definition",
  known: optionNames<InnerChat>({ ...QUEUED, carryoverConfig: true }),
  advice: CHAT_OPTION_ADVICE,
};
