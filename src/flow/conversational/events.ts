import { eventTypes } from "../../events/run-event.ts";

/** The turns of a session. Messages are numbered from 0, and keep their numbers. */
export interface ConversationEvents {
  conversation_turn_started: { flowName: string; sessionId: string };
  conversation_turn_completed: { flowName: string; sessionId: string };
  conversation_turn_failed: { flowName: string; sessionId: string; error: string };
  conversation_message_added: {
    sessionId: string;
    role: string;
    content: string;
    messageIndex: number;
  };
  conversation_route_selected: {
    sessionId: string;
    route: string;
    userMessage: string;
    messageIndex: number;
    previousIntent?: string;
  };
}

declare module "../../events/run-event.ts" {
  interface EventPayloads extends ConversationEvents {}
}

export const conversationEvents = eventTypes<ConversationEvents>({
  conversation_turn_started: true,
  conversation_turn_completed: true,
  conversation_turn_failed: true,
  conversation_message_added: true,
  conversation_route_selected: true,
});
