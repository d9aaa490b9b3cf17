import {
  chatting,
  type GroupChatRequest,
} from "../../src/conversation/groups/initiate-group-chat.ts";
import { program } from "../../src/conversation/chats/conversation-run.ts";

/** The program of a group conversation, for a host. */
export const groupChatProgram = (request: GroupChatRequest) => program(chatting(request));
