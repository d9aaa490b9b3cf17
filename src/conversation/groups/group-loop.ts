// The loop of a group: a message is added, all members see it, the end is checked, a speaker is chosen and replies.
//
//   GLP1. One loop serves every way of choosing: add, show, check, choose, speak. With N rounds there are at most N
//         messages.
//   GLP2. A member without a reply is skipped until the next message. If no other member can speak, the group ends.
//   GLP4. A person's message to the run is a round (PMS1). The member that it names answers it, otherwise the chosen
//         speaker, and the last speaker with a model where the conversation would end.
//   GLP3. Each round is a checkpoint: its result can be read while the group talks, and a fork can continue from there.
import { applyChange } from "../context-variables.ts";
import { groupEnd } from "../chat-limits.ts";
import { shownMessage } from "../chats/chat-events.ts";
import { ChatInbox } from "../chats/chat-inbox.ts";
import type { ChatPlace } from "../chats/chat-place.ts";
import type { Talk } from "../chats/talk.ts";
import { readMessage, type ConversationMessage } from "../messages.ts";
import { recalledTarget, recordedTarget, type RecordedTarget } from "../targets/recorded-target.ts";
import type { Group, GroupRun } from "./group.ts";
import type { RoundResult } from "./round-result.ts";
import { GroupTalk } from "./group-talk.ts";
import { groupTargets } from "./group-targets.ts";
import { screenedMessage } from "./screened-message.ts";
import { playRound, saidRound } from "./round.ts";

/** Opening of a group. */
export type GroupOpening = {
  /** Author of the first message, a member or not. */
  readonly speaker: string;
  readonly message: unknown;
  /** Earlier messages, visible to members. */
  readonly history?: readonly ConversationMessage[];
  /** Next target of a conversation that was interrupted between two messages. */
  readonly pending?: RecordedTarget;
  /** Set to forget the group's earlier messages in this run. @default true */
  readonly clearHistory?: boolean;
  /** Set to continue an existing chat: members' counters stay. @default false */
  readonly goesOn?: boolean;
  /** Maximum number of messages of a group chat. @default its own */
  readonly maxRounds?: number | undefined;
};

/** Result of a group. */
export type GroupEnding = {
  readonly reason: string;
  readonly lastSpeaker: string;
  readonly transcript: readonly ConversationMessage[];
  /** Maximum number of messages, including the opening one. */
  readonly rounds: number;
  readonly pending?: RecordedTarget;
};

/** Lets a group talk until it ends. */
export async function runGroup(
  talk: Talk,
  place: ChatPlace,
  { group, opening }: { readonly group: Group; readonly opening: GroupOpening },
): Promise<GroupEnding> {
  const messages = new GroupTalk(talk, group);
  if (opening.goesOn !== true) messages.prepare(opening.clearHistory ?? true);
  if (group.introduction !== undefined) messages.introduce(group.introduction);
  const { history = [], speaker: lastSpeaker } = opening;
  for (const each of history) messages.say(each.name ?? group.manager.name, each);
  if (history.length > 0)
    place.scope.emit("chat_resumed", { lastSpeaker, messages: history.length }, place.turns);
  const run = groupRun(talk, place, { group, messages, opening });
  const selection = group.selection(run);
  let message: ConversationMessage | undefined = await open(talk, place, {
    group,
    messages,
    opening,
  });
  const inbox = new ChatInbox(place, [...group.members, group.manager]);
  let count = 1;
  let over: string | undefined;
  for (;;) {
    const ended: string | undefined = over ?? endOf(group, message, count);
    const mail = inbox.next(message, ended !== undefined);
    if (ended !== undefined) {
      if (mail === undefined) return ending(run, count, ended);
      count = 1;
    }
    if (mail === undefined) run.rounds++;
    const round: RoundResult = await place
      .nextRound()
      .group<RoundResult>(
        "agent",
        async (below) =>
          mail === undefined
            ? playRound(run, below, selection)
            : saidRound(run, below, { mail, answerer: inbox.addressee(mail) }),
        { mark: "checkpoint" },
      );
    apply(run, messages, round);
    message = round.message;
    over = round.ended;
    if (round.interrupted === true) run.rounds--;
    if (round.mail !== undefined || round.interrupted === true) continue;
    if (message !== undefined) count++;
    if (over === undefined) selection.follow?.(round);
  }
}

/** Adds the first message, after the policies. */
async function open(
  talk: Talk,
  place: ChatPlace,
  {
    group,
    messages,
    opening: { speaker, message: said },
  }: { readonly group: Group; readonly messages: GroupTalk; readonly opening: GroupOpening },
): Promise<ConversationMessage> {
  const source = messages.member(speaker);
  const at = place.scope.at("opening");
  const read = readMessage(said, { name: speaker, role: "user" });
  const { message, received, usage } =
    source === undefined
      ? { message: read, received: {}, usage: {} }
      : await screenedMessage({ talk, group }, at, { message: read, source });
  for (const [name, each] of Object.entries(usage)) place.account(name, each);
  const added = messages.say(speaker, message, received);
  const about = { sender: speaker, recipient: group.manager.name, message: shownMessage(added) };
  at.emit("chat_message_sent", about, place.turns);
  return added;
}

function groupRun(
  talk: Talk,
  place: ChatPlace,
  {
    group,
    messages,
    opening,
  }: { readonly group: Group; readonly messages: GroupTalk; readonly opening: GroupOpening },
): GroupRun {
  const targets = groupTargets(group);
  return {
    group,
    talk,
    place,
    targets,
    get transcript() {
      return messages.transcript;
    },
    lastSpeaker: opening.speaker,
    pending: opening.pending === undefined ? undefined : recalledTarget(opening.pending, targets),
    addressed: undefined,
    isAsked: false,
    rounds: 0,
    functionsInRow: 0,
    silent: new Set(),
  };
}

/** Only this function applies changes of a round. */
function apply(run: GroupRun, messages: GroupTalk, round: RoundResult): void {
  const { group, talk, place } = run;
  const { speaker, message, received, turn, changes, notes = [], usage, forget } = round;
  const member = speaker === undefined ? undefined : messages.member(speaker);
  if (member !== undefined && turn !== undefined)
    talk.apply(member, group.manager, { ...turn, changes: [], usage: {} });
  for (const change of changes) applyChange(talk.variables(member ?? group.manager), change);
  for (const [name, each] of Object.entries(usage)) place.account(name, each);
  if (round.interrupted === true) return;
  run.addressed = round.addressed;
  if (message !== undefined) run.isAsked = round.mail !== undefined;
  if (forget !== undefined) messages.forget(forget);
  for (const { to, message: note } of notes) messages.note(to, note);
  if (round.kept !== undefined) talk.keep(group.manager, group.manager, round.kept);
  const { pending } = round;
  run.pending = pending === undefined ? undefined : recalledTarget(pending, run.targets);
  if (member !== undefined && message !== undefined) run.lastSpeaker = member.name;
  if (speaker === undefined) run.functionsInRow++;
  else if (message === undefined) run.silent.add(speaker);
  else {
    run.functionsInRow = 0;
    run.silent.clear();
    messages.say(speaker, message, received);
  }
}

function endOf(
  { manager, maxRounds }: Group,
  message: ConversationMessage | undefined,
  messageCount: number,
): string | undefined {
  const isTermination = message !== undefined && manager.isTerminationMsg(message);
  return groupEnd({ messageCount, maxRounds, isTermination });
}

function ending(run: GroupRun, rounds: number, reason: string): GroupEnding {
  const { lastSpeaker, transcript, pending, targets, group, place } = run;
  const about = { reason, sender: group.manager.name, recipient: lastSpeaker };
  place.scope.emit("chat_terminated", about, place.turns);
  return {
    reason,
    lastSpeaker,
    transcript: [...transcript],
    rounds,
    ...(pending === undefined ? undefined : { pending: recordedTarget(pending, targets) }),
  };
}
