// A channel between participants: their permission to send, and its end.
//
//   CHN1. A channel waits for the acknowledgement of all invited participants, and closes if one refuses.
//   CHN2. Consulting is one message of the initiator and one reply; a conversation is free; a discussion goes around. A
//         workflow has its graph: workflow-state.ts. Every channel with fewer than two visible participants ends.
//   CHN3. A refused event changes nothing. An ended channel accepts no events.
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { ChannelKind } from "./network-rules.ts";

/** A kind of channel without a graph. */
export type TurnChannelKind = Exclude<ChannelKind, "workflow">;

/** State of a channel. */
export type ChannelState = {
  readonly kind: TurnChannelKind;
  readonly initiator: string;
  /** Participants in the order of turns, the initiator first. */
  readonly participants: readonly string[];
  readonly status: "pending" | "active" | "closed" | "expired";
  readonly acknowledged: readonly string[];
  /** The only participant that may send, if the kind has turns. */
  readonly turnOf?: string;
  /** Start of the current turn. */
  readonly turnSinceMs: number;
  /** Participants that missed their turns too often and are hidden. */
  readonly hidden: readonly string[];
  readonly messageCount: number;
  readonly createdAtMs: number;
  readonly lastMessageAtMs: number;
  readonly closedBecause?: string;
};

/** An event in a channel. */
export type ChannelEvent =
  | { readonly kind: "ack" | "text"; readonly sender: string; readonly atMs: number }
  | {
      readonly kind: "reject";
      readonly sender: string;
      readonly reason?: string;
      readonly atMs: number;
    }
  | { readonly kind: "close"; readonly reason: string; readonly atMs: number }
  | { readonly kind: "expire"; readonly atMs: number }
  /** `pass`: a participant has no reply. `hide`: a participant is hidden from now on. */
  | { readonly kind: "pass" | "hide"; readonly participant: string; readonly atMs: number };

/**
 * Returns the participants, the initiator first. Throws `invalid_definition` for a wrong number of them, or a
 * duplicate.
 */
export function channelParticipants(
  kind: ChannelKind,
  initiator: string,
  participants: readonly string[],
): readonly string[] {
  const order = [initiator, ...participants.filter((name) => name !== initiator)];
  if (new Set(order).size < order.length)
    throw invalidDefinition(`the participants of a channel must differ, got ${order.join(", ")}`);
  const isPair = kind === "consulting" || kind === "conversation";
  if (order.length < 2 || (isPair && order.length > 2))
    throw invalidDefinition(
      `a ${kind} has ${isPair ? "exactly" : "at least"} 2 participants, got ${order.length}`,
    );
  return order;
}

/**
 * Opens a channel, which waits for its participants. Throws `invalid_definition` for a wrong number of them, or a
 * duplicate.
 */
export function openChannel({
  kind,
  initiator,
  participants,
  atMs,
}: {
  readonly kind: TurnChannelKind;
  readonly initiator: string;
  readonly participants: readonly string[];
  readonly atMs: number;
}): ChannelState {
  const order = channelParticipants(kind, initiator, participants);
  return {
    kind,
    initiator,
    participants: order,
    status: "pending",
    acknowledged: [initiator],
    turnSinceMs: atMs,
    hidden: [],
    messageCount: 0,
    createdAtMs: atMs,
    lastMessageAtMs: atMs,
  };
}

/**
 * Returns the state after an event. Throws `conflict` for an event that is not allowed now, `forbidden` for other
 * senders.
 */
export function foldChannel(state: ChannelState, event: ChannelEvent): ChannelState {
  if (state.status === "closed" || state.status === "expired")
    throw new EngineError(
      "conflict",
      `this channel has ended: ${state.closedBecause ?? state.status}`,
    );
  switch (event.kind) {
    case "ack":
      return acknowledged(checkedMember(state, event.sender), event.sender, event.atMs);
    case "reject":
      checkedMember(state, event.sender);
      if (state.status !== "pending")
        throw new EngineError("conflict", `"${event.sender}" refuses a channel that is active`);
      return ended(
        state,
        `rejected by "${event.sender}"${event.reason === undefined ? "" : `: ${event.reason}`}`,
      );
    case "text":
      return spoken(checkedMember(state, event.sender), event.sender, event.atMs);
    case "close":
      return ended(state, event.reason);
    case "expire":
      return { ...ended(state, "expired"), status: "expired" };
    case "hide":
      return hidden(checkedMember(state, event.participant), event.participant, event.atMs);
    default: {
      const { participant, atMs } = event;
      checkedMember(state, participant);
      if (state.kind === "consulting") return ended(state, "no reply");
      return state.turnOf === participant
        ? passedOn({ ...state, turnSinceMs: atMs }, participant)
        : state;
    }
  }
}

function acknowledged(state: ChannelState, sender: string, atMs: number): ChannelState {
  if (state.acknowledged.includes(sender)) return state;
  const all = [...state.acknowledged, sender];
  if (all.length < state.participants.length) return { ...state, acknowledged: all };
  const active = { ...state, acknowledged: all, status: "active", turnSinceMs: atMs } as const;
  return state.kind === "conversation" ? active : { ...active, turnOf: state.initiator };
}

function spoken(state: ChannelState, sender: string, atMs: number): ChannelState {
  if (state.status !== "active")
    throw new EngineError("conflict", "this channel is not active: not everybody has acknowledged");
  if (state.turnOf !== undefined && state.turnOf !== sender)
    throw new EngineError(
      "conflict",
      `it is the turn of "${state.turnOf}", got a text from "${sender}"`,
    );
  const messageCount = state.messageCount + 1;
  const after = { ...state, messageCount, lastMessageAtMs: atMs, turnSinceMs: atMs };
  if (state.kind === "conversation") return after;
  if (state.kind === "consulting" && messageCount === 2) return ended(after, "replied");
  return passedOn(after, sender);
}

function hidden(state: ChannelState, name: string, atMs: number): ChannelState {
  const after = { ...state, hidden: [...new Set([...state.hidden, name])] };
  if (after.participants.length - after.hidden.length < 2) return ended(after, "nobody is left");
  return state.turnOf === name ? passedOn({ ...after, turnSinceMs: atMs }, name) : after;
}

/** Passes the turn to the next visible participant. */
function passedOn(state: ChannelState, from: string): ChannelState {
  const { participants } = state;
  const start = participants.indexOf(from) + 1;
  const order = [...participants.slice(start), ...participants.slice(0, start)];
  return { ...state, turnOf: order.find((name) => !state.hidden.includes(name)) ?? from };
}

function ended(state: ChannelState, reason: string): ChannelState {
  const { turnOf: _, ...rest } = state;
  return { ...rest, status: "closed", closedBecause: reason };
}

function checkedMember(state: ChannelState, name: string): ChannelState {
  if (state.participants.includes(name)) return state;
  throw new EngineError("forbidden", `"${name}" is no participant of this channel`);
}
