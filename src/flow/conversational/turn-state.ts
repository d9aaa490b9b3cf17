// State of a session at the beginning and at the end of a turn.
import type { JsonObject } from "../../base/json.ts";
import { initialState } from "../flow-state.ts";
import type { RunnableFlow } from "../run-flow.ts";
import { DEFAULT_LIMITS, type ConversationConfig } from "./conversation-config.ts";
import { conversationIn, trimmed } from "./conversation-state.ts";
import { openingOf, type SessionRecord } from "./session.ts";

type TurnWords = {
  readonly sessionId: string;
  readonly message: string;
  readonly inputs?: JsonObject | undefined;
};

/** The user's message as the conversation has it. */
export function userMessage({ message }: Pick<TurnWords, "message">) {
  return { role: "user", content: message, metadata: {} } as const;
}

/** Returns the session's state with the user's message at its end, and the conversation before it. */
export function stateWithMessage(
  flow: Pick<RunnableFlow, "schema" | "initial">,
  turn: TurnWords,
  last: SessionRecord | null,
) {
  const { sessionId, message, inputs = {} } = turn;
  const before = initialState(
    { schema: flow.schema, initial: last?.state ?? flow.initial },
    { ...inputs, id: sessionId },
    sessionId,
  );
  const { messages: said, events: known, lastIntent: previousIntent } = conversationIn(before);
  const state = {
    ...before,
    messages: [...said, userMessage(turn)],
    currentUserMessage: message,
    lastUserMessage: message,
    ended: false,
  };
  return { state, said, known, previousIntent, messageIndex: (last?.dropped ?? 0) + said.length };
}

/** Returns the state as it is kept, and the number of messages it has dropped of `total`. */
export function keptOf(
  all: JsonObject,
  config: ConversationConfig,
  total: number,
): Pick<SessionRecord, "dropped" | "state"> {
  const state = trimmed(all, { ...DEFAULT_LIMITS, ...limitsIn(config) });
  return { dropped: Math.max(0, total - conversationIn(state).messages.length), state };
}

/** Returns the opening of a session: that of its first turn. */
export function openingIn(
  last: SessionRecord | null,
  message: string,
): Pick<SessionRecord, "opening"> {
  const opening = last === null ? openingOf(message) : last.opening;
  return opening === undefined ? {} : { opening };
}

function limitsIn({ maxMessages, maxLength }: ConversationConfig): Partial<typeof DEFAULT_LIMITS> {
  return {
    ...(maxMessages === undefined ? undefined : { maxMessages }),
    ...(maxLength === undefined ? undefined : { maxLength }),
  };
}
