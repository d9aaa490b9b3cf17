// One round of a group: a speaker is chosen and replies, as one recorded step.
//
//   GRD1. A round's result has all its changes. A replay reads it and asks, chooses and executes nothing.
//   GRD2. A hand-over by context comes before the member's turn. The member announces it, through its hooks, without
//         asking a model or a person. Input guardrails come before it: a blocked text is not handed over.
//   GRD3. An empty text is a message and a round. A member without any reply is silent. In a channel of a network, an
//         empty text counts as no reply: members need not speak there.
//   GRD4. Only a person clears histories by a command, since a model or a tool may quote others. The rest of the
//         person's message is added after the clearing, and stays.
import { addUsageByName } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ReceivedMail } from "../../events/mail.ts";
import type { ConversationMember } from "../agents/conversation-member.ts";
import { emitChanges, shownMessage } from "../chats/chat-events.ts";
import { interruptible, messageOf } from "../chats/chat-inbox.ts";
import { clearHistoryCommand } from "../clear-history.ts";
import { contextHandoff, Handoffs, offeredHandoffs } from "../targets/handoffs.ts";
import { handoffNotice } from "../targets/handoff-messages.ts";
import { isToolResult, readMessage, type ConversationMessage } from "../messages.ts";
import { targetLabel, type TransitionTarget } from "../targets/targets.ts";
import { sentMessage } from "../turns/sent-message.ts";
import { hasCalls } from "../turns/tool-reply.ts";
import { runTurn, withTarget } from "../turns/turn.ts";
import type {
  GroupRun,
  RoundLimits,
  RoundOutcome,
  SpeakerDecision,
  SpeakerSelection,
} from "./group.ts";
import type { RoundResult } from "./round-result.ts";
import { recordedTarget } from "../targets/recorded-target.ts";
import type { TurnResult } from "../turns/turn-result.ts";
import { executeCalls, handoffTool, NO_REPLY } from "./execute-calls.ts";
import { announce, passedMessage } from "./round-messages.ts";
import { callTargetFunction } from "./call-target-function.ts";
import { runTarget } from "./run-target.ts";

/** Chooses the speaker, and lets it reply. */
export function playRound(
  run: GroupRun,
  place: RunScope,
  selection: SpeakerSelection,
): Promise<RoundResult> {
  return interruptible((below) => chosenRound(run, below, selection))(place);
}

/**
 * Says a person's message to the run. `answerer` speaks next if the message names no other member. Decisions of the
 * round before stay.
 */
export function saidRound(
  run: GroupRun,
  place: RunScope,
  {
    mail,
    answerer,
  }: { readonly mail: ReceivedMail; readonly answerer: ConversationMember | undefined },
): RoundResult {
  const message = messageOf(mail);
  const { name: speaker = "" } = message;
  const { name: recipient } = run.group.manager;
  place.emit("chat_message_sent", { sender: speaker, recipient, message: shownMessage(message) });
  return {
    speaker,
    message,
    mail: mail.id,
    ...(answerer === undefined ? undefined : { addressed: answerer.name }),
    ...(run.pending === undefined
      ? undefined
      : { pending: recordedTarget(run.pending, run.targets) }),
    changes: [],
    usage: {},
  };
}

async function chosenRound(
  run: GroupRun,
  place: RunScope,
  selection: SpeakerSelection,
): Promise<RoundResult> {
  const decision = await decided(run, place, selection);
  const { handoff, kept } = decision;
  if (handoff !== undefined) place.emit("chat_handoff", handoff);
  const carryOut = (limits?: RoundLimits): Promise<RoundOutcome> =>
    carriedOut(run, place, { decision, limits });
  const outcome = await (selection.during?.(place, decision, carryOut) ?? carryOut());
  const { pending: next, ...rest } = outcome;
  emitChanges(place, outcome.speaker ?? run.lastSpeaker, outcome.changes ?? []);
  return {
    ...rest,
    changes: outcome.changes ?? [],
    usage: addUsageByName([decision.usage ?? {}, outcome.usage ?? {}]),
    ...(kept === undefined ? undefined : { kept }),
    ...(next === undefined ? undefined : { pending: recordedTarget(next, run.targets) }),
  };
}

/** Decides about the round. A person's message has an answer: it names the member, or the last speaker follows (GLP4). */
async function decided(
  run: GroupRun,
  place: RunScope,
  selection: SpeakerSelection,
): Promise<SpeakerDecision> {
  const { addressed, isAsked } = run;
  if (addressed !== undefined) return { kind: "speaker", name: addressed, cause: "message" };
  const decision = await selection.next(place.at("choose"));
  const answerer = isAsked && decision.kind === "end" ? lastOfModel(run) : undefined;
  return answerer === undefined
    ? decision
    : { kind: "speaker", name: answerer.name, cause: "message" };
}

/** The last speaker that a model answers for. */
function lastOfModel({ transcript, group }: GroupRun): ConversableAgent | undefined {
  const speakers = transcript.map(({ name }) => group.members.find((each) => each.name === name));
  return speakers.findLast((member) => member?.hasModel === true);
}

async function carriedOut(
  run: GroupRun,
  place: RunScope,
  {
    decision,
    limits,
  }: { readonly decision: SpeakerDecision; readonly limits: RoundLimits | undefined },
): Promise<RoundOutcome> {
  switch (decision.kind) {
    case "end":
      return { speaker: run.lastSpeaker, ended: decision.reason };
    case "tools":
      return executeCalls(run, place);
    case "run": {
      if (decision.target.kind === "function")
        return callTargetFunction(run, place, { ...decision, target: decision.target });
      const { speaker, message, usage, changes } = await runTarget(run, place, {
        owner: decision.owner,
        target: decision.target,
      });
      announce(run, place, { speaker, cause: "handoff" });
      const back = { kind: "agent", name: decision.owner } as const;
      const source = memberOf(run, decision.owner);
      const { screening, ...said } = await passedMessage(run, place, { speaker, source, message });
      const consumed = addUsageByName([usage, screening]);
      return { speaker, ...said, usage: consumed, changes, pending: back };
    }
    case "speaker": {
      const { name, cause } = decision;
      const member = run.group.members.find((each) => each.name === name);
      if (member === undefined || run.silent.has(name)) return { speaker: name, ended: NO_REPLY };
      announce(run, place, { speaker: name, cause });
      return speak(run, place, { member, limits });
    }
    default:
      return decision satisfies never;
  }
}

function memberOf({ group }: GroupRun, name: string): ConversableAgent {
  return group.members.find((member) => member.name === name) ?? group.manager;
}

/** Runs a member's turn. */
async function speak(
  run: GroupRun,
  place: RunScope,
  {
    member,
    limits,
  }: { readonly member: ConversableAgent; readonly limits: RoundLimits | undefined },
): Promise<RoundOutcome> {
  const { group, talk } = run;
  const { name } = member;
  const handoffs = group.handoffs?.get(name) ?? new Handoffs();
  const variables = talk.variables(member).toObject();
  const handoff = contextHandoff(handoffs, variables);
  const about = {
    agent: member,
    sender: group.manager,
    deadlineAtMs: limits?.deadlineAtMs,
  };
  if (handoff !== undefined) {
    const { target } = handoff;
    const notice = readMessage(handoffNotice(target), { name, role: "assistant" });
    const checked =
      member.inputGuardrails.length === 0
        ? undefined
        : await runTurn(talk, place.at(keySegment(name)), { ...about, instead: notice });
    if (checked?.guardrail !== undefined)
      return answered(run, place, { member, turn: withTarget(member, checked) });
    place.emit("chat_handoff", { cause: "context", source: name, target: targetLabel(target) }, 2);
    const { screening, ...said } = await passedMessage(run, place, {
      speaker: name,
      source: member,
      message: await throughHooks(run, place, { member, message: notice }),
    });
    const usage = addUsageByName([checked?.usage ?? {}, screening]);
    return { speaker: name, ...said, usage, pending: target };
  }
  const offered = offeredHandoffs(handoffs, variables);
  const request = { ...about, moreTools: offered.map(handoffTool) };
  const recorded = await runTurn(talk, place.at(keySegment(name)), request);
  const turn = withTarget(member, recorded);
  const transferred = offered.find(({ toolName }) => toolName === turn.transfer)?.target;
  if (turn.target === undefined && transferred !== undefined)
    place.emit(
      "chat_handoff",
      { cause: "model", source: name, target: targetLabel(transferred) },
      2,
    );
  return answered(run, place, { member, turn, transferred });
}

/** Makes the round of a member's turn: its message after the policies, and the next speaker. */
async function answered(
  run: GroupRun,
  place: RunScope,
  {
    member,
    turn: result,
    transferred,
  }: {
    readonly member: ConversableAgent;
    readonly turn: TurnResult;
    readonly transferred?: TransitionTarget | undefined;
  },
): Promise<RoundOutcome> {
  const { group } = run;
  const { name } = member;
  const { reply, ended, changes, target, usage, transfer: _, ...turn } = result;
  const pending = target ?? transferred;
  const outcome = {
    speaker: name,
    turn,
    changes,
    usage,
    ...(pending === undefined ? undefined : { pending }),
  };
  if (reply === undefined || (group.passesOverEmpty === true && isEmpty(reply))) {
    const end = ended ?? (group.endsOnSilence === true ? NO_REPLY : undefined);
    return end === undefined ? outcome : { ...outcome, ended: end };
  }
  const sent = await throughHooks(run, place, { member, message: reply });
  const isOfPerson = turn.humanInput !== undefined && reply.role === "user";
  const { message, forget } = isOfPerson ? forgotten(run, sent) : { message: sent };
  const { screening, ...said } = await passedMessage(run, place, {
    speaker: name,
    source: member,
    message,
  });
  return {
    ...outcome,
    ...said,
    usage: addUsageByName([usage, screening]),
    ...(forget === undefined ? undefined : { forget }),
  };
}

/** Passes a member's message, or its notice of a hand-over, through its hooks. */
function throughHooks(
  { group }: GroupRun,
  place: RunScope,
  { member, message }: { readonly member: ConversableAgent; readonly message: ConversationMessage },
): Promise<ConversationMessage> {
  const recipient = group.manager.name;
  return sentMessage(place.at("sent"), member, { recipient, message });
}

/** True if a reply has no text, no calls and no results. */
function isEmpty({ content, toolResponses, ...reply }: ConversationMessage): boolean {
  if (hasCalls(reply) || toolResponses !== undefined) return false;
  return content === null || content === "" || (Array.isArray(content) && content.length === 0);
}

/** Removes the clearing command from a person's message, if the group supports it. */
function forgotten(
  { group }: GroupRun,
  message: ConversationMessage,
): Pick<RoundOutcome, "forget"> & { readonly message: ConversationMessage } {
  if (group.enableClearHistory !== true || typeof message.content !== "string") return { message };
  const names = group.members.map(({ name }) => name);
  const command = clearHistoryCommand(message.content, names, isToolResult(message));
  if (command === undefined) return { message };
  const { rest, ...forget } = command;
  return { message: { ...message, content: rest }, forget };
}
