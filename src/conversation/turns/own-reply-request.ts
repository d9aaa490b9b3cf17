import type { Transcript } from "../../model-calls/transcript.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TalkingMember } from "../agents/talking-member.ts";
import type { MemberSources, TurnReport } from "../chats/member-sources.ts";
import type { ConversationMessage } from "../messages.ts";

/** Request to a member's model, with its tools. */
export type OwnReplyRequest = {
  readonly agent: TalkingMember;
  readonly transcript: Transcript;
  /** Tools available to its model. */
  readonly tools: readonly Tool[];
  /** Further tools, executed by the agent itself. */
  readonly ownTools: readonly Tool[];
  /** The hand-over tools among them. */
  readonly transfers: readonly Tool[];
  readonly sources: MemberSources | undefined;
  /** Text of the last message to it. */
  readonly query: string;
};

/** Reply of a member's model, and its report for memory. */
export type OwnReply = {
  readonly reply: ConversationMessage;
  readonly report?: TurnReport;
  /** The tool of an executed hand-over. */
  readonly transfer?: string;
};
