// Conversations of groups as programs.
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { RunProgram } from "../../runtime/run-program.ts";
import {
  here,
  localRun,
  program,
  type Chatting,
  type ChatRunOptions,
} from "../chats/conversation-run.ts";
import { checkSafeguards } from "../safeguards/active-policy.ts";
import type { GroupPattern } from "./patterns.ts";
import { runPattern, type GroupChatOptions, type GroupChatResult } from "./run-pattern.ts";

/** What a conversation of a group needs. */
export type GroupChatRequest = GroupChatOptions & {
  readonly pattern: GroupPattern;
  /** What its run is called. @default "group" */
  readonly name?: string;
};

/**
 * Has a group talk: in the current run, or in one of its own, in which nobody can answer for a person. Throws
 * `invalid_definition` for a pattern that does not fit together, before anybody speaks.
 */
export async function initiateGroupChat(
  request: GroupChatRequest,
  run: ChatRunOptions = {},
): Promise<GroupChatResult> {
  return here(nameOf(request), chatting(request), run);
}

/** Starts the same as a run in this process and returns its handle, for people who answer and for live events. */
export function startGroupChat(
  request: GroupChatRequest,
  run: ChatRunOptions = {},
): RunHandle<GroupChatResult> {
  return localRun(nameOf(request), chatting(request), run);
}

/** What a host runs for the conversation of a group. */
export function groupChatProgram(request: GroupChatRequest): RunProgram<GroupChatResult> {
  return program(chatting(request));
}

function chatting({ pattern, ...options }: GroupChatRequest): Chatting<GroupChatResult> {
  if (typeof pattern?.prepare !== "function")
    throw invalidDefinition(
      `a conversation of a group needs a pattern, such as new DefaultPattern({ … }), got ${preview(pattern)}`,
    );
  if (options.messages === undefined)
    throw new EngineError(
      "invalid_input",
      "a conversation of a group begins with messages: a text, or a list",
    );
  const prepared = pattern.prepare();
  const { manager, members: agents } = prepared.group;
  checkSafeguards(options, { agents, manager: manager.name });
  return (talk, scope) => runPattern(talk, scope, { ...options, prepared });
}

function nameOf({ name = "group" }: GroupChatRequest): string {
  return name;
}
