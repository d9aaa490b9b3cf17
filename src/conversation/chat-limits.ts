// When a chat of two, or a group, has had enough.
//
//   CHL1. A turn of two agents is a message and its reply. `maxTurns` turns are had, unless an answer ends the chat or there is none.
//         The recipient's own limit is its own to keep, so that an answer to its last words is had with `maxTurns` as without. As in
//         AG2, no turn begins once the initiator has answered as often as the recipient may.
//   CHL2. `maxRounds` counts the messages of a group with its opening one: so many minus one are replies.

/** Why a chat of two ended by its limit. */
export const MAX_TURNS_REACHED = "maximum turns reached";

/** Why a group ended. */
export type GroupEnd = "termination condition met" | "maximum rounds reached";

/** A chat of two before a turn. */
export type TurnState = {
  /** Counts from 0. */
  readonly turn: number;
  readonly maxTurns: number;
  /** How many answers in a row the initiator gave, and the recipient may give. */
  readonly initiatorCounter: number;
  readonly recipientMaximum: number;
  /** Whether the recipient's predicate ends the chat on the latest message; none before the first turn. */
  readonly isTermination: boolean;
};

/** What the initiator does in a turn: send the opening message, or make a reply and send that. Or the chat is over. */
export type TurnStep =
  | { readonly kind: "open" | "reply" }
  | { readonly kind: "end"; readonly reason?: typeof MAX_TURNS_REACHED };

/** What happens in the next turn of a chat of two. */
export function nextChatTurn(state: TurnState): TurnStep {
  const { turn, maxTurns, initiatorCounter, recipientMaximum, isTermination } = state;
  if (turn >= maxTurns) return { kind: "end", reason: MAX_TURNS_REACHED };
  if (initiatorCounter >= recipientMaximum) return { kind: "end" };
  if (turn === 0) return { kind: "open" };
  return isTermination ? { kind: "end" } : { kind: "reply" };
}

/** Why a group ends after a message, if it does; `messageCount` is with that message. */
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
