// Two agents that talk until one of them has no reply.
//
//   TAC1. A message is a turn of its sender; the other's turn answers it. With `maxTurns`, one turn is a message and
//         its answer.
//   TAC2. A chat without messages has an empty summary.
//   TAC3. A hand-over that terminates ends the chat after the message it came with. Any other hand-over is ignored with
//         a warning.
import { changedWork } from "../../agent/agent-work.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import { MAX_TURNS_REACHED, nextChatTurn } from "../chat-limits.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import {
  checkSafeguards,
  safeguardedPlace,
  type SafeguardedMembers,
} from "../safeguards/active-policy.ts";
import { interAgentMessage, screenedInput } from "../safeguards/screens.ts";
import { targetLabel } from "../targets/targets.ts";
import { sentMessage } from "../turns/sent-message.ts";
import { takeTurn } from "../turns/turn.ts";
import { emitCarryover, shownMessage, withChatEvents } from "./chat-events.ts";
import type { ChatOptions } from "./chat-options.ts";
import { ChatPlace } from "./chat-place.ts";
import type { ChatResult } from "./chat-result.ts";
import { chatSummary, checkSummaryMethod } from "./chat-summary.ts";
import type { GroupHost, HostedTalk } from "./group-host.ts";
import { openingMessage } from "./opening.ts";
import type { Talk } from "./talk.ts";

/** Reason for ending a chat without a reply. */
export const NO_REPLY = "no reply generated";

/** Reason for the end of a chat by a terminating hand-over. */
const TERMINATED = "a hand-over ended the chat";

type Pair = readonly [TalkingMember, TalkingMember];

/** Runs a chat at `scope`. Throws `invalid_input` for conflicting options. */
export async function runTwoAgentChat(
  talk: Talk,
  scope: RunScope,
  about: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<ChatResult> {
  const { pair, options } = about;
  checkChat(pair, options);
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

async function haveChat(
  talk: Talk,
  place: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<ChatResult> {
  const [initiator, recipient] = pair;
  const { maxTurns, clearHistory = true, summaryMethod = "last_msg", summaryArgs } = options;
  const { carryover } = options;
  if (carryover !== undefined) emitCarryover(place.scope, pair, { ...options, carryover });
  if (clearHistory && talk.history(initiator, recipient).length > 0)
    place.scope.emit("chat_history_cleared", { kept: 0 });
  talk.prepare(initiator, recipient, clearHistory);
  const { host } = recipient;
  const { reason, ...group } =
    host !== undefined
      ? await haveGroupTalk(talk, place, { pair, options, host })
      : maxTurns === undefined
        ? { reason: await talkOn(talk, place, { pair, options }) }
        : { reason: await takeTurns(talk, place, { pair, options, maxTurns }) };
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
  {
    pair,
    options,
    host,
  }: { readonly pair: Pair; readonly options: ChatOptions; readonly host: GroupHost },
): Promise<HostedTalk> {
  const [initiator, manager] = pair;
  const { maxTurns = 1, clearHistory = true } = options;
  const none = { lastSpeaker: initiator.name, messages: [], rounds: 0 };
  let result: HostedTalk = { reason: MAX_TURNS_REACHED, ...none };
  for (let turn = 0; turn < maxTurns; turn++) {
    const last = result.messages.at(-1);
    if (last !== undefined && manager.isTerminationMsg(last)) return result;
    const message = await (turn === 0 ? opened : replied)(talk, place, { pair, options });
    if (message === undefined) return result;
    const goesOn = turn > 0;
    const opening = { initiator, message, clearHistory: !goesOn && clearHistory, goesOn };
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

/** Passes messages back and forth, and returns the reason for the end. */
async function talkOn(
  talk: Talk,
  place: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<string> {
  await open(talk, place, { pair, options });
  let [answering, asking] = [pair[1], pair[0]];
  for (;;) {
    const ended = await answer(talk, place, [answering, asking]);
    if (ended !== undefined) return ended;
    [answering, asking] = [asking, answering];
  }
}

/** Same as `talkOn`, for a limited number of the initiator's messages with their answers. */
async function takeTurns(
  talk: Talk,
  place: ChatPlace,
  {
    pair,
    options,
    maxTurns,
  }: { readonly pair: Pair; readonly options: ChatOptions; readonly maxTurns: number },
): Promise<string> {
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
    if (step.kind === "open") await open(talk, place, { pair, options });
    else {
      const ended = await answer(talk, place, [initiator, recipient]);
      if (ended !== undefined) return ended;
    }
    const ended = await answer(talk, place, [recipient, initiator]);
    if (ended !== undefined) return ended;
  }
}

async function open(
  talk: Talk,
  place: ChatPlace,
  about: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<void> {
  await say(talk, place, {
    pair: about.pair,
    message: await opened(talk, place, about),
    key: "opening",
  });
}

/** Makes the first message, after its sender's hooks. */
async function opened(
  talk: Talk,
  place: ChatPlace,
  { pair, options }: { readonly pair: Pair; readonly options: ChatOptions },
): Promise<unknown> {
  const meter = new UsageMeter();
  const screening = { agent: pair[0], work: changedWork(talk.work(pair[0]), { meter }) };
  const { message, humanInput } = await openingMessage(place.scope.at("opening"), pair, {
    ...options,
    screened: (typed) => screenedInput(place.scope, screening, typed),
  });
  if (meter.total.requests > 0) place.account(pair[0].name, meter.total);
  if (humanInput !== undefined) talk.hearPerson(pair[0], humanInput);
  return hooked(place, { pair, message, key: "opening" });
}

/** Returns the initiator's message to a group that has ended, after its hooks; undefined without a message. */
async function replied(
  talk: Talk,
  place: ChatPlace,
  { pair }: { readonly pair: Pair },
): Promise<unknown> {
  const [agent, sender] = pair;
  const { reply: message } = await takeTurn(talk, place, { agent, sender });
  return message === undefined
    ? undefined
    : hooked(place, { pair, message, key: `sent:${place.turns}` });
}

/** Lets an agent answer another. Returns the reason if it has no reply. */
async function answer(talk: Talk, place: ChatPlace, pair: Pair): Promise<string | undefined> {
  const [agent, sender] = pair;
  const { reply, ended, target } = await takeTurn(talk, place, { agent, sender });
  if (reply === undefined) return ended ?? NO_REPLY;
  const key = `sent:${place.turns}`;
  await say(talk, place, {
    pair,
    message: await hooked(place, { pair, message: reply, key }),
    key,
  });
  if (target === undefined) return undefined;
  if (target.kind === "terminate") return TERMINATED;
  const message = `a chat of two goes on between the two: the hand-over of "${agent.name}" to ${targetLabel(target)} is ignored`;
  place.scope.at(key).emit("agent_warning", { agentRole: agent.name, message });
  return undefined;
}

/** Adds a message to both sides, after the policies, and emits its event. */
async function say(
  talk: Talk,
  place: ChatPlace,
  { pair, message, key }: { readonly pair: Pair; readonly message: unknown; readonly key: string },
): Promise<void> {
  const [source, { name: recipient }] = pair;
  const { message: passed } = await interAgentMessage(talk, place, {
    message: readMessage(message, { name: source.name, role: "assistant" }),
    source,
    destination: recipient,
    key,
  });
  const added = talk.say(...pair, isJsonObject(message) ? { ...message, ...passed } : passed);
  const about = { sender: source.name, recipient, message: shownMessage(added) };
  place.scope.at(key).emit("chat_message_sent", about);
}

/** Passes a message through its sender's hooks. */
async function hooked(
  place: ChatPlace,
  {
    pair: [sender, recipient],
    message,
    key,
  }: {
    readonly pair: Pair;
    readonly message: JsonValue | ConversationMessage;
    readonly key: string;
  },
): Promise<unknown> {
  return sentMessage(place.scope.at(key), sender, {
    recipient: recipient.name,
    message: message as ConversationMessage,
  });
}

function invalid(message: string): EngineError {
  return new EngineError("invalid_input", message);
}
