import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { ConversationMessage } from "../messages.ts";

/** The answering agent and the sender. */
export type TurnRequest = {
  readonly agent: TalkingMember;
  readonly sender: TalkingMember;
  /** Further tools for its model, in this turn. */
  readonly moreTools?: readonly Tool[];
  /** Deadline of its models, in milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
  /** Reply of the turn without asking the chain, unless an input guardrail decides. */
  readonly instead?: ConversationMessage;
};
