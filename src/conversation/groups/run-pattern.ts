// A group conversation with hand-overs, from its first messages to its result.
//
//   RPN1. A message without a name is the user's. With several messages, the last one is answered and the others are
//         history.
//   RPN2. Another conversation can continue from the result's messages, variables and next hand-over.
import { EngineError } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { withChatEvents } from "../chats/chat-events.ts";
import { ChatPlace } from "../chats/chat-place.ts";
import { chatSummary } from "../chats/chat-summary.ts";
import type { Talk } from "../chats/talk.ts";
import { checkedVariables, ContextVariables } from "../context-variables.ts";
import type { ConversationMessage } from "../messages.ts";
import { resumedMessages, type ResumedMessages } from "../resumed-messages.ts";
import { safeguardedPlace } from "../safeguards/active-policy.ts";
import type { SafeguardOptions } from "../safeguards/safeguard-options.ts";
import { runGroup, type GroupOpening } from "./group-loop.ts";
import { TOOL_EXECUTOR } from "./execute-calls.ts";
import type { GroupChatResult } from "./group-chat-result.ts";
import type { PreparedPattern } from "./prepared-pattern.ts";

/** Opening of a pattern's conversation. */
export type GroupChatOptions = SafeguardOptions & {
  /** A text, or messages in any spelling; the last one is answered. Not needed with `resume`. */
  readonly messages: string | readonly unknown[];
  /** Maximum number of messages, including the first one and results of calls. An integer >= 1. @default 20 */
  readonly maxRounds?: number;
  /** Variables set in addition to the pattern's. */
  readonly contextVariables?: ContextVariables | JsonObject;
  /** State of an earlier conversation: its variables, and its next target. */
  readonly resume?: Pick<GroupChatResult, "contextVariables" | "pending">;
};

/** Author of messages without a name, inside a group. */
const USER = "_User";
/** Name of a user outside of the agents, in inputs and outputs. */
export const USER_NAME = "user";
const MAX_ROUNDS = 20;

/** Runs the conversation at `scope`. */
export async function runPattern(
  talk: Talk,
  scope: RunScope,
  options: GroupChatOptions & { readonly prepared: PreparedPattern; readonly name?: string },
): Promise<GroupChatResult> {
  const { members, manager } = options.prepared.group;
  const own = talk.apart();
  const chat = options.name ?? members.map(({ name }) => name).join(", ");
  return withChatEvents(scope, { chat, members }, (at) => {
    const safeguarded = { agents: members, manager: manager.name };
    const place = new ChatPlace(safeguardedPlace(at, options, safeguarded));
    return own.knowing(at, [...members, manager], () => converse(own, place, options));
  });
}

async function converse(
  talk: Talk,
  place: ChatPlace,
  { prepared, ...options }: GroupChatOptions & { readonly prepared: PreparedPattern },
): Promise<GroupChatResult> {
  const { messages, maxRounds = MAX_ROUNDS, contextVariables, resume } = options;
  const { group, selection, userAgent, variables, summary } = prepared;
  const { manager, members } = group;
  const beginning = new ContextVariables({
    ...variables.toObject(),
    ...checkedVariables(resume?.contextVariables ?? {}),
    ...checkedVariables(contextVariables ?? {}),
  });
  talk.share([...members, manager], beginning);
  const ended = await runGroup(talk, place, {
    group: { ...group, maxRounds, selection: selection(resume !== undefined) },
    opening: {
      ...openingOf(messages, prepared),
      ...(resume?.pending === undefined ? undefined : { pending: resume.pending }),
    },
  });
  const { transcript, pending, reason, lastSpeaker, rounds } = ended;
  const initiator = userAgent ?? members[0] ?? manager;
  const text = await chatSummary(talk, place, {
    pair: [initiator, summarizer(prepared)],
    summaryMethod: summary.summaryMethod === undefined ? "last_msg" : summary.summaryMethod,
    summaryArgs: summary.summaryArgs,
    messages: transcript,
  });
  const { cost } = place;
  return {
    summary: text,
    messages: transcript.map(withUserName),
    lastSpeaker: lastSpeaker === USER ? "" : lastSpeaker,
    contextVariables: talk.variables(manager).toObject(),
    rounds,
    usage: cost.total,
    usageByAgent: cost.byAgent,
    reason,
    humanInput: members.flatMap((member) => talk.humanInputs(member)),
    ...(pending === undefined ? undefined : { pending }),
  };
}

/**
 * Returns the agent that reflects on a conversation: the manager, if it has a model, else the first member with a
 * model.
 */
function summarizer({ group: { manager, members } }: PreparedPattern): ConversableAgent {
  return [manager, ...members].find(({ hasModel }) => hasModel) ?? manager;
}

function openingOf(
  messages: string | readonly unknown[],
  prepared: Pick<PreparedPattern, "group" | "userAgent">,
): GroupOpening {
  const { history, lastMessage } = openingMessages(messages, prepared);
  return { speaker: lastMessage.name ?? userName(prepared), message: lastMessage, history };
}

/**
 * Returns the opening of a conversation: history, and the message to answer, each with the name of its author. Throws
 * `invalid_input` for an unreadable message, and for an unknown author.
 */
export function openingMessages(
  messages: string | readonly unknown[],
  prepared: Pick<PreparedPattern, "group" | "userAgent">,
): Pick<ResumedMessages, "history" | "lastMessage"> {
  const { members, manager } = prepared.group;
  const list = typeof messages === "string" ? [messages] : messages;
  const isMember = members.some(({ name }) => name === USER_NAME);
  const named = list.map((each) => withName(each, { user: userName(prepared), isMember }));
  const others = named.flatMap((each) =>
    isJsonObject(each) && typeof each["name"] === "string" && isOfGroup(each["name"])
      ? [each["name"]]
      : [],
  );
  const names = [...members.map(({ name }) => name), USER, ...others];
  return resumedMessages(named, { members: names, manager: manager.name });
}

/** True for names that a group itself uses: results of calls, nested chats and inner groups. */
function isOfGroup(name: string): boolean {
  return name === TOOL_EXECUTOR || /^wrapped_(nested|group)_/.test(name);
}

function userName({ userAgent }: Pick<PreparedPattern, "userAgent">): string {
  return userAgent?.name ?? USER;
}

/** A plain message without an author is the user's. */
function withName(
  message: unknown,
  { user: name, isMember }: { readonly user: string; readonly isMember: boolean },
): unknown {
  if (typeof message === "string") return { role: "user", content: message, name };
  if (!isJsonObject(message))
    throw new EngineError("invalid_input", "a message is a text or an object");
  const own = message["name"] ?? undefined;
  return own === undefined || (own === USER_NAME && !isMember) ? { ...message, name } : message;
}

/** Names a user outside of the agents as inputs and outputs do. */
export function withUserName(message: ConversationMessage): ConversationMessage {
  return message.name === USER ? { ...message, name: USER_NAME } : message;
}
