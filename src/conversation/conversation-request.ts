// Start requests of conversations, as callers send them.
//
//   CRQ1. A message without a name is the user's; a nameless message with the role of an assistant is the first
//         agent's. "user" names a user outside of the agents, so callers can send the messages of an output again.
//   CRQ2. A request is checked before anything runs, with one issue for each fault.
import { EngineError, type Issue } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../base/json.ts";
import type { InputFiles } from "../files/file-source.ts";
import { readInputFiles, type FileSources } from "../files/started-files.ts";
import { checkedVariables } from "./context-variables.ts";
import { USER_NAME } from "./groups/run-pattern.ts";
import type {
  ConversationExchange,
  ExchangeMembers,
  ExchangeOpening,
} from "./exchange/exchange.ts";

/** Start of a conversation: one message or several. */
export type ConversationRequest = {
  /** The user's message. Not needed if the conversation has an opening of its own. */
  readonly message?: string;
  /** Messages in any spelling, each with the `name` of its author. The last one is answered; the others are history. */
  readonly messages?: readonly unknown[];
  /** Variables set in addition to the conversation's own. */
  readonly contextVariables?: JsonObject;
  /** Maximum number of messages, without the history. @default the conversation's */
  readonly maxRounds?: number;
  /**
   * Files for all members, by name: paths, ids, URLs, bytes, or results of `file()` for these. They are attached to the
   * last message.
   * @default {}
   */
  readonly inputFiles?: InputFiles;
};

const MAX_ROUNDS = 10_000;

/** Reads a start request. Throws `invalid_input`. */
export function readRequest(
  {
    message,
    messages,
    contextVariables,
    maxRounds,
    inputFiles,
  }: { readonly [Key in keyof ConversationRequest]?: unknown },
  exchange: Opened,
): Omit<ExchangeOpening, "name"> & { readonly files: FileSources } {
  const issues: Issue[] = [];
  const expects = (path: string, expected: string, got: unknown): void =>
    void issues.push({ path, message: `expected ${expected}, got ${preview(got)}` });
  const hasNone = message === undefined && messages === undefined;
  const hasBoth = message !== undefined && messages !== undefined;
  if (hasBoth || (hasNone && !exchange.opensItself))
    issues.push({
      path: "/message",
      message: `expected \`message\` or \`messages\`, got ${hasBoth ? "both" : "neither"}`,
    });
  if (message !== undefined && (typeof message !== "string" || message === ""))
    expects("/message", "a text that is not empty", message);
  if (messages !== undefined && (!Array.isArray(messages) || messages.length === 0))
    expects("/messages", "at least one message", messages);
  const isRounds = Number.isInteger(maxRounds) && Number(maxRounds) >= 1;
  if (maxRounds !== undefined && (!isRounds || Number(maxRounds) > MAX_ROUNDS))
    expects("/maxRounds", `an integer from 1 to ${MAX_ROUNDS}`, maxRounds);
  const variables = contextVariables === undefined ? {} : variablesIn(contextVariables, issues);
  if (issues.length > 0) throw invalidInput("the conversation cannot be started", issues);
  const list = message === undefined ? ((messages ?? []) as readonly unknown[]) : [message];
  const openers = exchange.openers();
  return {
    files: readInputFiles(inputFiles, { owner: "the conversation", code: "invalid_input" }),
    messages: list.map((each) => attributed(withoutRunFiles(each), openers)),
    ...(contextVariables === undefined ? undefined : { contextVariables: variables }),
    ...(maxRounds === undefined ? undefined : { maxRounds: Number(maxRounds) }),
  };
}

function variablesIn(variables: unknown, issues: Issue[]): JsonObject {
  const path = "/contextVariables";
  try {
    return checkedVariables(variables);
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    const found = error.issues ?? [{ path: "", message: error.message }];
    issues.push(...found.map((issue) => ({ ...issue, path: `${path}${issue.path}` })));
    return {};
  }
}

/** Opening of the conversation's exchange. */
type Opened = Pick<ConversationExchange, "opensItself" | "openers">;

function attributed(
  message: unknown,
  { group: { members }, initialAgent, userAgent }: ExchangeMembers,
): unknown {
  if (!isJsonObject(message)) return message;
  const { name, ...rest } = message;
  if (name === USER_NAME && !members.some((member) => member.name === USER_NAME)) return rest;
  if ((name ?? undefined) !== undefined || message["role"] !== "assistant") return message;
  const first =
    initialAgent === userAgent ? members.find((member) => member !== userAgent) : initialAgent;
  return { ...rest, name: (first ?? initialAgent).name };
}

/**
 * Replaces files of another run with their names: a caller can send messages of an output again, but this run does not
 * have those files.
 */
function withoutRunFiles(message: unknown): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["content"])) return message;
  const content = message["content"].map((part: JsonValue) => {
    const file = isJsonObject(part) ? part["runFile"] : undefined;
    if (file === undefined) return part;
    const name = isJsonObject(file) && typeof file["name"] === "string" ? file["name"] : "file";
    return { type: "text", text: `[${name}]` };
  });
  return { ...message, content };
}
