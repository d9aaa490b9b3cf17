// Limits of two-agent chats and of groups.
//
//   CHL1. A turn of two agents is a message and its reply. A chat has `maxTurns` turns, unless a reply ends it or is
//         missing. `maxTurns` does not replace the recipient's own limit, so its last message can still get a reply. As
//         in AG2, no turn begins once the initiator has answered as often as the recipient may.
//   CHL2. `maxRounds` counts the messages of a group, including the opening one: `maxRounds` minus one are replies.

/** Reason for the end of a chat of two at its limit. */
export const MAX_TURNS_REACHED = "maximum turns reached";

/** Reason for the end of a group. */
export type GroupEnd = "termination condition met" | "maximum rounds reached";

/** A chat of two before a turn. */
export type TurnState = {
  /** Number of the turn, from 0. */
  readonly turn: number;
  readonly maxTurns: number;
  /** Number of the initiator's answers in a row; `recipientMaximum` is the recipient's limit. */
  readonly initiatorCounter: number;
  readonly recipientMaximum: number;
  /** True if the recipient's predicate ends the chat on the latest message; false before the first turn. */
  readonly isTermination: boolean;
};

/** The initiator's action in a turn: it sends the opening message, or makes a reply and sends it. Or the chat ends. */
export type TurnStep =
  | { readonly kind: "open" | "reply" }
  | { readonly kind: "end"; readonly reason?: typeof MAX_TURNS_REACHED };

/** Returns the next action of a chat of two. */
export function nextChatTurn(state: TurnState): TurnStep {
  const { turn, maxTurns, initiatorCounter, recipientMaximum, isTermination } = state;
  if (turn >= maxTurns) return { kind: "end", reason: MAX_TURNS_REACHED };
  if (initiatorCounter >= recipientMaximum) return { kind: "end" };
  if (turn === 0) return { kind: "open" };
  return isTermination ? { kind: "end" } : { kind: "reply" };
}

/** Returns the reason for a group's end after a message, or undefined. `messageCount` includes that message. */
export function groupEnd({
  messageCount,
  maxRounds,
  isTermination,
}: {
  readonly messageCount: number;
  readonly maxRounds: number;
  readonly isTermination: boolean;
}): GroupEnd | undefined {
  if (isTermination) return "termination condition met";
  return messageCount >= maxRounds ? "maximum rounds reached" : undefined;
}
