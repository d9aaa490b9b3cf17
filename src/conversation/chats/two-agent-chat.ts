// Two agents that talk until one of them has no reply.
//
//   TAC1. A message is a turn of its sender; the other's turn answers it. With `maxTurns`, one turn is a message and
//         its answer.
//   TAC2. A chat without messages has an empty summary.
//   TAC3. A hand-over that terminates ends the chat after the message it came with. Any other hand-over is ignored with
//         a warning.
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import { MAX_TURNS_REACHED, nextChatTurn } from "../chat-limits.ts";
import type { ConversationMessage } from "../messages.ts";
import {
  checkSafeguards,
  safeguardedPlace,
  type SafeguardedMembers,
} from "../safeguards/active-policy.ts";
import { emitCarryover, withChatEvents } from "./chat-events.ts";
import { ChatInbox } from "./chat-inbox.ts";
import { answer, sayReceived, open, opened, replied } from "./chat-messages.ts";
import type { ChatOptions } from "./chat-options.ts";
import { ChatPlace } from "./chat-place.ts";
import type { ChatResult } from "./chat-result.ts";
import type { ChatAbout } from "./chat-rounds.ts";
import { chatSummary, checkSummaryMethod } from "./chat-summary.ts";
import type { GroupHost, HostedTalk } from "./group-host.ts";
import type { Talk } from "./talk.ts";

type Pair = ChatAbout["pair"];

/** Runs a chat at `scope`. Throws `invalid_input` for conflicting options. */
export async function runTwoAgentChat(
  talk: Talk,
  scope: RunScope,
  about: ChatAbout,
): Promise<ChatResult> {
  const { pair, options, rounds } = about;
  if (rounds === undefined) checkChat(pair, options); // a conversation checks its chats when it is defined
  const chat = pair.map(({ name }) => name).join(" and ");
  const members = [...pair, ...(pair[1].host?.members ?? [])];
  return withChatEvents(scope, { chat, members }, (at) => {
    const place = new ChatPlace(safeguardedPlace(at, options, safeguarded(pair)));
    return talk.knowing(at, members, () => haveChat(talk, place, about));
  });
}

/** Returns the members under a chat's policy: the two, or a group with its manager. */
function safeguarded(pair: Pair): SafeguardedMembers {
  const [initiator, recipient] = pair;
  const { host, name: manager } = recipient;
  if (host === undefined) return { agents: pair };
  return { agents: [...new Set([initiator, ...host.members])], manager };
}

async function haveChat(talk: Talk, place: ChatPlace, about: ChatAbout): Promise<ChatResult> {
  const { pair, options, rounds } = about;
  const [initiator, recipient] = pair;
  const { clearHistory = true, summaryMethod = "last_msg", summaryArgs, carryover } = options;
  if (carryover !== undefined) emitCarryover(place.scope, pair, { ...options, carryover });
  if (clearHistory && talk.history(initiator, recipient).length > 0)
    place.scope.emit("chat_history_cleared", { kept: 0 });
  talk.prepare(initiator, recipient, clearHistory);
  const { host } = recipient;
  if (host === undefined) for (const each of rounds?.history ?? []) recall(talk, pair, each);
  const { reason, ...group } =
    host !== undefined
      ? await haveGroupTalk(talk, place, { ...about, host })
      : { reason: await haveTalkOfTwo(talk, place, about) };
  const summary = await chatSummary(talk, place, {
    pair,
    summaryMethod,
    summaryArgs,
    ...("messages" in group ? { messages: group.messages } : undefined),
  });
  const agents = new Set([...pair, ...(host?.members ?? [])]);
  return {
    chatHistory: [...talk.history(initiator, recipient)],
    summary,
    cost: place.cost,
    humanInput: [...agents].flatMap((agent) => talk.humanInputs(agent)),
    reason,
    lastSpeaker: lastSpeaker(talk.history(initiator, recipient).at(-1), pair),
    contextVariables: talk.variables(initiator).toObject(),
    ...("messages" in group ? { group } : undefined),
  };
}

/** Lets a group discuss the initiator's message, once per turn. */
async function haveGroupTalk(
  talk: Talk,
  place: ChatPlace,
  { host, ...about }: ChatAbout & { readonly host: GroupHost },
): Promise<HostedTalk> {
  const { pair, options, rounds } = about;
  const [initiator, manager] = pair;
  const { maxTurns = 1, clearHistory = true } = options;
  const none = { lastSpeaker: initiator.name, messages: [], rounds: 0 };
  let result: HostedTalk = { reason: MAX_TURNS_REACHED, ...none };
  for (let turn = 0; turn < maxTurns; turn++) {
    const last = result.messages.at(-1);
    if (last !== undefined && manager.isTerminationMsg(last)) return result;
    const message = await (turn === 0 ? opened : replied)(talk, place, about);
    if (message === undefined) return result;
    const goesOn = turn > 0;
    const opening = {
      initiator,
      message,
      clearHistory: !goesOn && clearHistory,
      goesOn,
      history: goesOn ? [] : (rounds?.history ?? []),
      maxRounds: rounds?.maxMessages,
    };
    result = await host.talkAbout(talk, place, opening);
  }
  return result;
}

/** In the initiator's view, a message without a name has the role of its author. */
function lastSpeaker(last: ConversationMessage | undefined, [initiator, recipient]: Pair) {
  if (last === undefined) return null;
  return last.name ?? (last.role === "assistant" ? initiator : recipient).name;
}

/** Throws `invalid_input` for conflicting options. */
export function checkChat(pair: Pair, options: ChatOptions): void {
  const { maxTurns, message, summaryMethod = "last_msg" } = options;
  const [{ name: initiator, isOfCrews }, { name: recipient }] = pair;
  if (initiator === recipient)
    throw invalid(`two agents of a chat need names of their own, got "${initiator}" twice`);
  if (isOfCrews && (message ?? null) === null)
    throw invalid(
      `a chat that "${initiator}" begins needs a message: a crew agent has no person to ask for one`,
    );
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns >= 0))
    throw invalid(`maxTurns must be an integer >= 0, got ${preview(maxTurns)}`);
  checkSummaryMethod(summaryMethod, pair);
  checkSafeguards(options, safeguarded(pair));
}

/** Adds an earlier message to both sides. */
function recall(talk: Talk, [initiator, recipient]: Pair, message: ConversationMessage): void {
  const isOfRecipient = message.name === recipient.name;
  if (isOfRecipient) talk.say(recipient, initiator, message);
  else talk.say(initiator, recipient, message);
}

/** Passes messages back and forth, and returns the reason for the end. People's messages at the end continue it (PMS3). */
async function haveTalkOfTwo(talk: Talk, place: ChatPlace, chat: ChatAbout): Promise<string> {
  const { maxTurns } = chat.options;
  const mail = chat.rounds && { inbox: new ChatInbox(place, chat.pair), uncounted: 0 };
  const about = { ...chat, mail };
  let reason =
    maxTurns === undefined
      ? ((await open(talk, place, about)) ??
        (await talkOn(talk, place, { ...about, pair: reversed(about.pair) })))
      : await takeTurns(talk, place, { ...about, maxTurns });
  for (;;) {
    const received = await sayReceived(talk, place, { ...about, isOver: true });
    if (received === undefined) return reason;
    const pair = answering(about.pair, mail?.inbox.addressee(received));
    reason = await talkOn(talk, place, { ...about, pair, maxTurns });
  }
}

/** The two, first the one that answers a person's message: the one it names, or one that a model answers for. */
function answering([initiator, recipient]: Pair, named: ConversationMember | undefined): Pair {
  const first = named ?? (recipient.hasModel ? recipient : initiator);
  return first === initiator ? [initiator, recipient] : [recipient, initiator];
}

/** Lets the first of the two answer, then the other, and so on. */
async function talkOn(
  talk: Talk,
  place: ChatPlace,
  { maxTurns = Infinity, ...about }: ChatAbout & { readonly maxTurns?: number | undefined },
): Promise<string> {
  let { pair } = about;
  for (let answers = 0; answers < 2 * maxTurns; answers++) {
    const reason = await answer(talk, place, { ...about, pair });
    if (reason !== undefined) return reason;
    pair = reversed(pair);
  }
  return MAX_TURNS_REACHED;
}

function reversed([one, other]: Pair): Pair {
  return [other, one];
}

/** Same as `talkOn`, for a limited number of the initiator's messages with their answers. */
async function takeTurns(
  talk: Talk,
  place: ChatPlace,
  { maxTurns, ...about }: ChatAbout & { readonly maxTurns: number },
): Promise<string> {
  const { pair } = about;
  const [initiator, recipient] = pair;
  for (let turn = 0; ; turn++) {
    const last = talk.history(initiator, recipient).at(-1);
    const step = nextChatTurn({
      turn,
      maxTurns,
      initiatorCounter: talk.counter(initiator, recipient),
      recipientMaximum: recipient.maxConsecutiveAutoReply,
      isTermination:
        turn > 0 && last !== undefined && last.content !== null && recipient.isTerminationMsg(last),
    });
    if (step.kind === "end") {
      const { reason } = step;
      if (reason === undefined) return "termination condition met";
      const [sender, to] = [initiator.name, recipient.name];
      place.scope.emit("chat_terminated", { reason, sender, recipient: to });
      return reason;
    }
    const ended =
      (await (step.kind === "open" ? open : answer)(talk, place, about)) ??
      (await answer(talk, place, { ...about, pair: reversed(pair) }));
    if (ended !== undefined) return ended;
  }
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_input", message);
}
