import type { RunScope } from "../../events/run-scope.ts";
import type { Talk } from "../chats/talk.ts";
import type { GroupChatResult } from "./group-chat-result.ts";

/** A conversation that can run inside another one. */
export interface InnerConversation {
  /** Runs it below `place`, in a talk of its own. */
  converse(
    talk: Talk,
    place: RunScope,
    options: { readonly messages: string; readonly maxRounds: number },
  ): Promise<Pick<GroupChatResult, "summary" | "usageByAgent">>;
}

export function isInnerConversation(value: object): value is InnerConversation {
  return "converse" in value && typeof value.converse === "function";
}
