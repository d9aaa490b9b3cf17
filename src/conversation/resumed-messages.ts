// A group chat that continues from messages.
//
//   RSM1. Messages without a name are the manager's; an unknown name is refused.
//   RSM2. The last message is the one to answer: it is returned separately and left out of the history.
import { EngineError, errorMessage } from "../base/error.ts";
import { isJsonObject, preview, typeName } from "../base/json.ts";
import { contentText, readMessage, type ConversationMessage } from "./messages.ts";
import { pairCalls } from "./paired-calls.ts";

/** Members of the continued group. */
export type ResumedGroup = {
  readonly members: readonly string[];
  readonly manager: string;
  /** Name of the group's speaker for a person's input. */
  readonly adminName?: string;
};

/** Point at which a group continues. */
export type ResumedMessages = {
  /** All messages but the last one, with calls next to their results. */
  readonly history: readonly ConversationMessage[];
  readonly lastMessage: ConversationMessage;
  /** The member that sent it, else the manager. */
  readonly lastAgent: string;
};

/**
 * Reads the messages that a group continues from: a list, or its JSON. Throws `invalid_input` for an empty list, for an
 * unreadable message, and for an unknown author, with its place.
 */
export function resumedMessages(
  input: unknown,
  group: ResumedGroup,
  removeTermination?: string | ((content: string) => string),
): ResumedMessages {
  const list = listOf(input);
  const known = [...group.members, group.manager, group.adminName].filter(
    (name) => name !== undefined,
  );
  const messages = list.map((each, index) => messageAt(each, index, { group, known }));
  const paired = inOrder(messages);
  const last = paired.at(-1);
  if (last === undefined)
    throw new EngineError("invalid_input", "a group continues from at least one message, got none");
  const { name = group.manager } = last;
  return {
    history: paired.slice(0, -1),
    lastMessage: withoutTermination(last, removeTermination),
    lastAgent: group.members.includes(name) ? name : group.manager,
  };
}

/** Calls of the last message stay open: the group continues by executing them. */
function inOrder(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const last = messages.at(-1);
  return last?.toolCalls === undefined
    ? pairCalls(messages).messages
    : [...pairCalls(messages.slice(0, -1)).messages, last];
}

function messageAt(
  input: unknown,
  index: number,
  { group, known }: { readonly group: ResumedGroup; readonly known: readonly string[] },
): ConversationMessage {
  const role = isJsonObject(input) && input["role"] === "assistant" ? "assistant" : "user";
  let message: ConversationMessage;
  try {
    message = readMessage(input, { name: group.manager, role });
  } catch (error) {
    throw at(index, errorMessage(error));
  }
  const { name } = message;
  if (name === undefined || known.includes(name) || message.role === "function") return message;
  throw at(index, `is by ${preview(name)}, who is no member; members: ${group.members.join(", ")}`);
}

function listOf(input: unknown): readonly unknown[] {
  let list = input;
  if (typeof input === "string")
    try {
      list = JSON.parse(input);
    } catch (error) {
      throw new EngineError(
        "invalid_input",
        `the messages to continue from must be JSON: ${errorMessage(error)}`,
      );
    }
  if (Array.isArray(list)) return Array.from(list as readonly unknown[]); // gaps are missing values
  throw new EngineError(
    "invalid_input",
    `the messages to continue from must be a list, got ${typeName(list)}`,
  );
}

function withoutTermination(
  message: ConversationMessage,
  remove: string | ((content: string) => string) | undefined,
): ConversationMessage {
  if (remove === undefined || remove === "" || message.content === null) return message;
  const text = contentText(message.content);
  const content = typeof remove === "string" ? text.replaceAll(remove, "") : remove(text);
  return { ...message, content };
}

function at(index: number, what: string): EngineError {
  const path = `/messages/${index}`;
  return new EngineError("invalid_input", `${path} ${what}`, { issues: [{ path, message: what }] });
}
