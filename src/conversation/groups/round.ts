// One round of a group: somebody is chosen and speaks, as one recorded step.
//
//   GRD1. A round's result is all that it changes. A replay reads it and asks, chooses and executes nothing.
//   GRD2. A hand-over by context comes before the member's turn: it says so, and asks no model and no person.
//   GRD3. Calls are executed for the member that made them, with its own limits, hooks and approvals.
import { changedWork } from "../../agent/agent-work.ts";
import { addUsageByName, type Usage } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import { UsageMeter } from "../../model-calls/model-call.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import * as z from "zod";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { emitChanges, shownMessage } from "../chats/chat-events.ts";
import { clearHistoryCommand } from "../clear-history.ts";
import { contextHandoff, Handoffs, offeredHandoffs, type OfferedHandoff } from "../handoffs.ts";
import { handoffNotice } from "../handoff-messages.ts";
import { isToolResult, readMessage, type ConversationMessage } from "../messages.ts";
import { recalledTarget, recordedTarget } from "../recorded-target.ts";
import { targetLabel } from "../targets.ts";
import { sentMessage } from "../turns/sent-message.ts";
import { toolReply } from "../turns/tool-reply.ts";
import { runTurn, withTarget } from "../turns/turn.ts";
import type {
  GroupRun,
  RoundLimits,
  RoundOutcome,
  RoundResult,
  SpeakerDecision,
  SpeakerSelection,
} from "./group.ts";
import { callTargetFunction } from "./call-target-function.ts";
import { screenedMessage } from "./screened-message.ts";
import { runTarget } from "./run-target.ts";

/** Who executes the calls of members, as transcripts name it. */
export const TOOL_EXECUTOR = "_Group_Tool_Executor";

/** Why a group ends whose next member says nothing. */
export const NO_REPLY = "no reply generated";

/** Chooses who speaks, and has them speak. */
export async function playRound(
  run: GroupRun,
  place: RunScope,
  selection: SpeakerSelection,
): Promise<RoundResult> {
  const decision = await selection.next(place.at("choose"));
  const { handoff } = decision;
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
    ...(next === undefined ? undefined : { pending: recordedTarget(next, run.targets) }),
  };
}

type UsageByAgent = Readonly<Record<string, Usage>>;

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
      const { screening, ...said } = await passed(run, place, { speaker, source, message });
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

function announce(
  { transcript }: GroupRun,
  place: RunScope,
  about: Pick<Extract<SpeakerDecision, { kind: "speaker" }>, "cause"> & {
    readonly speaker: string;
  },
): void {
  place.emit("chat_speaker_selected", { ...about, round: transcript.length });
}

/** A member's turn. */
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
  if (handoff !== undefined) {
    const { target } = handoff;
    place.emit("chat_handoff", { cause: "context", source: name, target: targetLabel(target) }, 2);
    const notice = readMessage(handoffNotice(target), { name, role: "assistant" });
    const { screening, ...said } = await passed(run, place, {
      speaker: name,
      source: member,
      message: notice,
    });
    return { speaker: name, ...said, usage: screening, pending: target };
  }
  const moreTools = offeredHandoffs(handoffs, variables).map(handoffTool);
  const request = {
    agent: member,
    sender: group.manager,
    moreTools,
    deadlineAtMs: limits?.deadlineAtMs,
  };
  const recorded = await runTurn(talk, place.at(keySegment(name)), request);
  const { reply, ended, changes, target, usage, ...turn } = withTarget(member, recorded);
  const outcome = {
    speaker: name,
    turn,
    changes,
    usage,
    ...(target === undefined ? undefined : { pending: target }),
  };
  if (reply === undefined || isBlank(reply)) {
    const end = ended ?? (group.endsOnSilence === true ? NO_REPLY : undefined);
    return end === undefined ? outcome : { ...outcome, ended: end };
  }
  const { message, forget } = forgotten(
    run,
    await sentMessage(place.at("sent"), member, { recipient: group.manager.name, message: reply }),
  );
  const { screening, ...said } = await passed(run, place, {
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

/** Whether a reply says nothing: the group is spared it. */
function isBlank({
  content,
  toolCalls,
  functionCall,
  toolResponses,
}: ConversationMessage): boolean {
  if (toolCalls !== undefined || functionCall !== undefined || toolResponses !== undefined)
    return false;
  return content === null || content === "" || (Array.isArray(content) && content.length === 0);
}

/** A message without its command to forget, where groups know one. */
function forgotten(
  { group, transcript }: GroupRun,
  message: ConversationMessage,
): Pick<RoundOutcome, "forget"> & { readonly message: ConversationMessage } {
  if (group.enableClearHistory !== true || typeof message.content !== "string") return { message };
  const last = transcript.at(-1);
  const names = group.members.map(({ name }) => name);
  const command = clearHistoryCommand(
    message.content,
    names,
    last !== undefined && isToolResult(last),
  );
  if (command === undefined) return { message };
  const { rest, ...forget } = command;
  return { message: { ...message, content: rest }, forget };
}

/** What is said, as the policies let it pass, with an event of it. */
async function passed(
  run: GroupRun,
  place: RunScope,
  {
    speaker,
    source,
    message: said,
  }: {
    readonly speaker: string;
    /** The member for whom it is said. */
    readonly source: ConversableAgent;
    readonly message: ConversationMessage;
  },
): Promise<Pick<RoundOutcome, "message" | "received"> & { readonly screening: UsageByAgent }> {
  const { message, received, usage } = await screenedMessage(run, place, { message: said, source });
  const { name: recipient } = run.group.manager;
  place.emit("chat_message_sent", { sender: speaker, recipient, message: shownMessage(message) });
  return {
    message,
    ...(Object.keys(received).length === 0 ? undefined : { received }),
    screening: usage,
  };
}

/** Executes the calls of the last message, for the member that made them. */
async function executeCalls(run: GroupRun, place: RunScope): Promise<RoundOutcome> {
  const { group, talk, transcript } = run;
  const message = transcript.at(-1);
  const caller = group.members.find(({ name }) => name === message?.name);
  if (message === undefined || caller === undefined)
    return { speaker: TOOL_EXECUTOR, ended: NO_REPLY };
  announce(run, place, { speaker: TOOL_EXECUTOR, cause: "tools" });
  const handoffs = group.handoffs?.get(caller.name) ?? new Handoffs();
  const offered = offeredHandoffs(handoffs, talk.variables(caller).toObject());
  const meter = new UsageMeter();
  const work = changedWork(talk.work(caller), { meter });
  const {
    message: reply,
    changes,
    target,
  } = handedOver(run, message, offered) ??
  (await toolReply(work, place, {
    message,
    agent: caller,
    caller: caller.name,
    tools: talk.tools([...executable(run, caller), ...offered.map(handoffTool)]),
    variables: talk.variables(caller).toObject(),
    chat: {
      get chatMessages() {
        return talk.histories(caller);
      },
      lastMessage: message,
    },
    targets: run.targets,
  }));
  const pending = target === undefined ? undefined : recalledTarget(target, run.targets);
  if (pending !== undefined) {
    const isHandoff = offered.some((each) => each.target === pending);
    const about = { source: caller.name, target: targetLabel(pending) };
    place.emit("chat_handoff", { cause: isHandoff ? "model" : "tool", ...about }, 2);
  }
  // An answer in a form is the member's own.
  const speaker = reply.role === "assistant" ? caller.name : TOOL_EXECUTOR;
  const { screening, ...said } = await passed(run, place, {
    speaker,
    source: caller,
    message: { ...reply, name: speaker },
  });
  return {
    speaker,
    ...said,
    changes,
    usage: addUsageByName([{ [caller.name]: meter.total }, screening]),
    ...(pending === undefined ? undefined : { pending }),
  };
}

/** The results of calls that do nothing but hand over: there is nothing to execute. */
function handedOver(
  run: GroupRun,
  { toolCalls = [] }: ConversationMessage,
  offered: readonly OfferedHandoff[],
): Awaited<ReturnType<typeof toolReply>> | undefined {
  const targetOf = new Map(offered.map(({ toolName, target }) => [toolName, target]));
  const targets = toolCalls.flatMap(({ name }) => targetOf.get(name) ?? []);
  const target = targets.at(-1);
  if (target === undefined || targets.length < toolCalls.length) return undefined;
  const toolResponses = toolCalls.map(({ id }, index) => ({
    toolCallId: id,
    content: `Handing over to ${targetLabel(targets[index] ?? target)}.`,
  }));
  const content = toolResponses.map((each) => each.content).join("\n");
  return {
    message: { role: "tool", content, toolResponses },
    changes: [],
    target: recordedTarget(target, run.targets),
  };
}

/** The tools of all members: of two with one name, the caller's. */
function executable({ group }: GroupRun, caller: ConversableAgent): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const member of [...group.members.filter((each) => each !== caller), caller])
    for (const each of member.executedTools) byName.set(each.name, each);
  return [...byName.values()];
}

/** A hand-over as a tool of a model. */
function handoffTool({ toolName: name, prompt: description, target }: OfferedHandoff): Tool {
  return tool({ name, description, input: z.object({}), run: () => target });
}
