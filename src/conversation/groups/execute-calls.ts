// Execution of members' calls in a group.
//
//   GEC1. Calls are executed for the calling member, with its own limits, hooks and approvals.
//   GEC2. An executing member's approval rules apply to its tools, for calls of any member's model.
import * as z from "zod";
import { changedWork } from "../../agent/agent-work.ts";
import { addUsageByName } from "../../base/usage.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { tool, type Tool } from "../../tools/tool.ts";
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import { Handoffs, offeredHandoffs, type OfferedHandoff } from "../targets/handoffs.ts";
import type { ConversationMessage } from "../messages.ts";
import { recalledTarget, recordedTarget } from "../targets/recorded-target.ts";
import { targetLabel, type TransitionTarget } from "../targets/targets.ts";
import { toolReply } from "../turns/tool-reply.ts";
import type { GroupRun, RoundOutcome } from "./group.ts";
import { announce, passedMessage } from "./round-messages.ts";

/** Name of the executor of members' calls in transcripts. */
export const TOOL_EXECUTOR = "_Group_Tool_Executor";

/** Reason for ending a group without a reply of its next member. */
export const NO_REPLY = "no reply generated";

/** Executes the calls of the last message for the calling member. */
export async function executeCalls(run: GroupRun, place: RunScope): Promise<RoundOutcome> {
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
      messages: [...transcript],
      lastMessage: message,
    },
    separator: "\n",
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
  const { screening, ...said } = await passedMessage(run, place, {
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

/** Makes the results of calls that only hand over and need no execution. */
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

/**
 * Returns the tools of all members, under the approval rules of their executors. Of two tools with one name, the
 * caller's counts.
 */
function executable({ group }: GroupRun, caller: ConversableAgent): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const member of [...group.members.filter((each) => each !== caller), caller])
    for (const each of member.executedTools) byName.set(each.name, approvedBy(member, each));
  return [...byName.values()];
}

/** Cached per tool, since uses of a tool are counted by its object. */
const approved = new WeakMap<Tool, Tool>();

function approvedBy({ inner: { approveTools } }: ConversableAgent, own: Tool): Tool {
  const isNamed =
    approveTools === true || approveTools.some((name) => sanitizeToolName(name) === own.safeName);
  if (!isNamed) return own;
  let asking = approved.get(own);
  if (asking === undefined) approved.set(own, (asking = { ...own, needsApproval: true }));
  return asking;
}

const NOTHING = z.object({});

/** The last tool of each target. */
const tools = new WeakMap<TransitionTarget, Tool>();

/** Makes a hand-over into a tool of a model. It is made again only if the context variables change its description. */
export function handoffTool({ toolName: name, prompt: description, target }: OfferedHandoff): Tool {
  const known = tools.get(target);
  if (known?.name === name && known.description === description) return known;
  const made = tool({ name, description, input: NOTHING, run: () => target });
  tools.set(target, made);
  return made;
}
