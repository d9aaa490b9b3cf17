// Single messages of a chat of two: the opening, and answers.
//
//   CHM1. In the exchange of a conversation, each message is one recorded round with all its changes, after hooks and
//         policies. A replay reads it, and a fork may change its text.
//   CHM2. Elsewhere a message is the recorded turn of its author, with the steps of hooks and policies beside it.
import { changedWork } from "../../agent/agent-work.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { addUsageByName, type Usage } from "../../base/usage.ts";
import type { ReceivedMail } from "../../events/mail.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { RoundResult } from "../groups/round-result.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { interAgentMessage, screenedInput } from "../safeguards/screens.ts";
import type { TransitionTarget } from "../targets/targets.ts";
import { targetLabel } from "../targets/targets.ts";
import { sentMessage } from "../turns/sent-message.ts";
import { runTurn, takeTurn, withTarget } from "../turns/turn.ts";
import type { TurnResult } from "../turns/turn-result.ts";
import { emitChanges, shownMessage } from "./chat-events.ts";
import { interruptible, messageOf } from "./chat-inbox.ts";
import { ChatPlace } from "./chat-place.ts";
import type { ChatAbout } from "./chat-rounds.ts";
import { openingMessage } from "./opening.ts";
import type { Talk } from "./talk.ts";

/** Reason for ending a chat without a reply. */
const NO_REPLY = "no reply generated";

/** Reason for the end of a chat by a terminating hand-over. */
const TERMINATED = "a hand-over ended the chat";

/** Adds the opening message to both sides. Returns the reason if it is the last one. */
export async function open(
  talk: Talk,
  place: ChatPlace,
  about: ChatAbout,
): Promise<string | undefined> {
  const message = await opened(talk, place, about);
  await say(talk, place, { ...about, message, key: "opening" });
  return limitOf(about);
}

/** Makes the opening message, after its sender's hooks. */
export async function opened(talk: Talk, place: ChatPlace, about: ChatAbout): Promise<unknown> {
  const { pair, rounds } = about;
  const [sender] = pair;
  if (rounds === undefined) {
    const { message, humanInput, usage } = await madeOpening(talk, place.scope, about);
    for (const [name, each] of Object.entries(usage)) place.account(name, each);
    if (humanInput !== undefined) talk.hearPerson(sender, humanInput);
    return message;
  }
  const round = await place
    .nextRound()
    .group<RoundResult>("agent", (below) => openingRound(talk, below, about), {
      mark: "checkpoint",
    });
  for (const [name, each] of Object.entries(round.usage)) place.account(name, each);
  if (round.turn?.humanInput !== undefined) talk.hearPerson(sender, round.turn.humanInput);
  return round.message;
}

/** Returns the initiator's message to a group that has ended, after its hooks; undefined without a message. */
export async function replied(talk: Talk, place: ChatPlace, about: ChatAbout): Promise<unknown> {
  if (about.rounds !== undefined) return (await answeredOnce(talk, place, about)).reply;
  const [agent, sender] = about.pair;
  const { reply } = await takeTurn(talk, place, { agent, sender });
  if (reply === undefined) return undefined;
  return sentMessage(place.scope.at(`sent:${place.turns}`), agent, {
    recipient: sender.name,
    message: reply,
  });
}

/**
 * Says the messages of people that have arrived, each in a round, and returns the last one. `isOver` is set at the end
 * of the chat, whose limits begin again with a message (PMS3).
 */
export async function sayReceived(
  talk: Talk,
  place: ChatPlace,
  { pair, rounds, mail, isOver = false }: ChatAbout & { readonly isOver?: boolean },
): Promise<ReceivedMail | undefined> {
  if (mail === undefined || rounds === undefined) return undefined;
  let last: ReceivedMail | undefined;
  for (;;) {
    const received = mail.inbox.next(rounds.said.at(-1), isOver);
    if (received === undefined) break;
    const round = await place
      .nextRound()
      .group<RoundResult>("agent", async (below) => receivedRound(below, received, pair), {
        mark: "checkpoint",
      });
    last = received;
    const { message } = round;
    if (message === undefined) continue;
    const [one, other] = pair;
    const author = pair.find(({ name }) => name === message.name);
    if (author === undefined) {
      talk.tell(one, other, message);
      talk.tell(other, one, message);
    } else talk.say(author, author === one ? other : one, message);
    rounds.said.push(message);
    mail.uncounted++;
  }
  if (isOver && last !== undefined) mail.uncounted = rounds.said.length;
  return last;
}

function receivedRound(below: RunScope, received: ReceivedMail, [, { name }]: ChatAbout["pair"]) {
  const message = messageOf(received);
  const { name: speaker = "" } = message;
  below.emit("chat_message_sent", {
    sender: speaker,
    recipient: name,
    message: shownMessage(message),
  });
  return { speaker, message, mail: received.id, changes: [], usage: {} };
}

/** Lets the first of the two answer the second. Returns the reason if the chat ends with it. */
export async function answer(
  talk: Talk,
  place: ChatPlace,
  about: ChatAbout,
): Promise<string | undefined> {
  const [agent, sender] = about.pair;
  const { reply, ended, target } =
    about.rounds === undefined
      ? await takeTurn(talk, place, { agent, sender })
      : await answeredOnce(talk, place, about);
  if (reply === undefined) return ended ?? NO_REPLY;
  const key = `sent:${place.turns}`;
  const at = place.scope.at(key);
  const message =
    about.rounds === undefined
      ? await sentMessage(at, agent, { recipient: sender.name, message: reply })
      : reply;
  await say(talk, place, { ...about, message, key });
  if (target?.kind === "terminate") return TERMINATED;
  if (target !== undefined) warnOfTarget(at, agent, target);
  return limitOf(about);
}

function warnOfTarget(at: RunScope, agent: TalkingMember, target: TransitionTarget): void {
  const message = `a chat of two goes on between the two: the hand-over of "${agent.name}" to ${targetLabel(target)} is ignored`;
  at.emit("agent_warning", { agentRole: agent.name, message });
}

function limitOf({ rounds, mail }: ChatAbout): string | undefined {
  if (rounds?.maxMessages === undefined) return undefined;
  const counted = rounds.said.length - (mail?.uncounted ?? 0);
  return counted >= rounds.maxMessages ? "maximum rounds reached" : undefined;
}

type MadeOpening = {
  readonly message: ConversationMessage | JsonValue;
  readonly humanInput?: string;
  readonly usage: Readonly<Record<string, Usage>>;
};

/** Makes the opening message below `place`: it asks a person, calls functions and hooks. */
async function madeOpening(
  talk: Talk,
  place: RunScope,
  { pair, options, rounds }: ChatAbout,
): Promise<MadeOpening> {
  const [sender, recipient] = pair;
  const meter = new UsageMeter();
  const screening = { agent: sender, work: changedWork(talk.work(sender), { meter }) };
  const { message, humanInput } = await openingMessage(place.at("opening"), pair, {
    ...options,
    ofCaller: rounds?.opening,
    screened: (typed) => screenedInput(place, screening, typed),
  });
  const sent = await sentMessage(place.at("opening"), sender, {
    recipient: recipient.name,
    message: message as ConversationMessage, // in any spelling: the recipient's side reads it
  });
  return {
    message: sent,
    ...(humanInput === undefined ? undefined : { humanInput }),
    usage: meter.total.requests > 0 ? { [sender.name]: meter.total } : {},
  };
}

async function openingRound(talk: Talk, below: RunScope, about: ChatAbout): Promise<RoundResult> {
  const [sender] = about.pair;
  const { message: made, humanInput, usage } = await madeOpening(talk, below, about);
  const message = readMessage(made, { name: sender.name, role: "user" });
  const passed = await screened(talk, below, { ...about, message });
  return {
    speaker: sender.name,
    opens: true,
    message: passed.message,
    ...(humanInput === undefined ? undefined : { turn: { counter: 0, humanInput } }),
    changes: [],
    usage: addUsageByName([usage, passed.usage]),
  };
}

/** Plays the round of an answer, and again if a message interrupted it. */
async function answeredOnce(talk: Talk, place: ChatPlace, about: ChatAbout): Promise<Answered> {
  for (;;) {
    await sayReceived(talk, place, about);
    const answered = await answerRound(talk, place, about);
    if (answered !== undefined) return answered;
  }
}

type Answered = Pick<TurnResult, "reply" | "ended" | "target">;

/** Plays and applies the round of an answer; undefined if a message interrupted it. */
async function answerRound(
  talk: Talk,
  place: ChatPlace,
  about: ChatAbout,
): Promise<Answered | undefined> {
  const [agent, sender] = about.pair;
  const round = await place.nextRound().group<RoundResult>(
    "agent",
    interruptible(async (below) => {
      const at = below.at(keySegment(agent.name));
      const recorded = await runTurn(talk, at, { agent, sender });
      const { reply, target, transfer: _, ended, changes, usage, ...turn } = recorded;
      emitChanges(below, agent.name, changes);
      const outcome = {
        speaker: agent.name,
        turn,
        changes,
        usage,
        ...(target === undefined ? undefined : { pending: target }),
        ...(ended === undefined ? undefined : { ended }),
      };
      if (reply === undefined) return outcome;
      const recipient = sender.name;
      const sent = await sentMessage(below.at("sent"), agent, { recipient, message: reply });
      const role = reply.role === "user" ? "user" : "assistant"; // a person's words are a user's
      const message = readMessage(sent, { name: agent.name, role });
      const passed = await screened(talk, below, { ...about, message });
      return {
        ...outcome,
        message: passed.message,
        usage: addUsageByName([usage, passed.usage]),
      };
    }),
    { label: agent.name, mark: "checkpoint" },
  );
  if (round.interrupted === true) return undefined;
  const { message, ended, pending, turn, changes, usage } = round;
  const result = withTarget(agent, {
    counter: 0,
    ...turn,
    changes,
    usage,
    ...(pending === undefined ? undefined : { target: pending }),
  });
  talk.apply(agent, sender, result);
  for (const [name, each] of Object.entries(usage)) place.account(name, each);
  return {
    ...(message === undefined ? undefined : { reply: message }),
    ...(ended === undefined ? undefined : { ended }),
    ...(result.target === undefined ? undefined : { target: result.target }),
  };
}

/** Passes a message through the policies, below its round. A group screens messages to it itself. */
async function screened(
  talk: Talk,
  below: RunScope,
  { pair: [source, recipient], message }: ChatAbout & { readonly message: ConversationMessage },
): Promise<{ message: ConversationMessage; usage: Readonly<Record<string, Usage>> }> {
  if (recipient.host !== undefined) return { message, usage: {} };
  const place = new ChatPlace(below);
  const sent = { message, source, destination: recipient.name, key: "sent" };
  const { message: passed } = await interAgentMessage(talk, place, sent);
  return { message: passed, usage: place.cost.byAgent };
}

/** Adds a message to both sides, after the policies, and emits its event. */
async function say(
  talk: Talk,
  place: ChatPlace,
  { pair, rounds, message, key }: ChatAbout & { readonly message: unknown; readonly key: string },
): Promise<void> {
  const [source, { name: recipient }] = pair;
  const read = readMessage(message, { name: source.name, role: "assistant" });
  const passed =
    rounds === undefined
      ? (
          await interAgentMessage(talk, place, {
            message: read,
            source,
            destination: recipient,
            key,
          })
        ).message
      : read;
  const added = talk.say(...pair, isJsonObject(message) ? { ...message, ...passed } : passed);
  rounds?.said.push({ ...added, role: (message as ConversationMessage).role });
  const about = { sender: source.name, recipient, message: shownMessage(added) };
  place.scope.at(key).emit("chat_message_sent", about);
}
