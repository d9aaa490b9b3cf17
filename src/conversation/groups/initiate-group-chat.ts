// Group conversations as programs.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import { here, localRun, type Chatting, type ChatRunOptions } from "../chats/conversation-run.ts";
import { RunSteps, type StepOptions } from "../runs/run-steps.ts";
import { checkSafeguards } from "../safeguards/active-policy.ts";
import type { GroupChatResult } from "./group-chat-result.ts";
import type { GroupPattern } from "./patterns.ts";
import { runPattern, type GroupChatOptions } from "./run-pattern.ts";

/** Request for a group conversation. */
export type GroupChatRequest = GroupChatOptions & {
  readonly pattern: GroupPattern;
  /** Name of its run. @default "group" */
  readonly name?: string;
};

const OPTIONS = definitionOptions<GroupChatRequest>(
  "initiateGroupChat()",
  {
    messages: true,
    maxRounds: true,
    contextVariables: true,
    resume: true,
    pattern: true,
    name: true,
    safeguardPolicy: true,
    safeguardLlm: true,
    maskLlm: true,
  },
  {
    maxRound: "write maxRounds",
    maskLlmConfig: "write maskLlm",
    safeguardLlmConfig: "write safeguardLlm",
  },
);

/**
 * Runs a group conversation: in the current run, or in a new run without people to answer. Throws `invalid_definition`
 * for an inconsistent pattern, before the first message.
 */
export async function initiateGroupChat(
  request: GroupChatRequest,
  run: ChatRunOptions = {},
): Promise<GroupChatResult> {
  return here(nameOf(request), chatting(request), run);
}

/**
 * Starts the same conversation as a run in this process and returns its handle, for answers of people and live events.
 */
export function startGroupChat(
  request: GroupChatRequest,
  run: ChatRunOptions = {},
): RunHandle<GroupChatResult> {
  return localRun(nameOf(request), chatting(request), run);
}

/**
 * Same as `startGroupChat`, for stepping through: the run proceeds only as far as the reader asks for events, and
 * `yieldOn` names the types of events to stop at.
 */
export function runGroupChatIter(
  request: GroupChatRequest & StepOptions,
  run: ChatRunOptions = {},
): RunSteps<GroupChatResult> {
  const { yieldOn = null, detach = false, ...rest } = request;
  const code = chatting(rest);
  return new RunSteps((options) => localRun(nameOf(rest), code, options), { yieldOn, detach }, run);
}

/** The code of a group conversation. Throws for invalid options. */
export function chatting(request: GroupChatRequest): Chatting<GroupChatResult> {
  refuseUnknownOptions(request, OPTIONS);
  const { pattern, ...options } = request;
  if (typeof pattern?.prepare !== "function")
    throw invalidDefinition(
      `a conversation of a group needs a pattern, such as new DefaultPattern({ … }), got ${preview(pattern)}`,
    );
  if (options.messages === undefined)
    throw new EngineError(
      "invalid_input",
      "a conversation of a group begins with messages: a text, or a list",
    );
  const { maxRounds } = options;
  if (maxRounds !== undefined && (!Number.isInteger(maxRounds) || maxRounds < 1))
    throw new EngineError(
      "invalid_input",
      `maxRounds must be an integer >= 1, got ${preview(maxRounds)}`,
    );
  const prepared = pattern.prepare();
  const { manager, members: agents } = prepared.group;
  checkSafeguards(options, { agents, manager: manager.name });
  return (talk, scope) => runPattern(talk, scope, { ...options, prepared });
}

function nameOf({ name = "group" }: GroupChatRequest): string {
  return name;
}
