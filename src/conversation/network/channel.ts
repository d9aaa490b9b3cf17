// A channel between participants: who may send when, and when it ends.
//
//   CHN1. A channel waits for the acknowledgement of all invited, and closes when one of them refuses.
//   CHN2. Consulting is one message of the initiator and one reply; a conversation is free; a discussion goes around. A workflow has its
//         graph: workflow-state.ts. With fewer than two who are not left out, every channel ends.
//   CHN3. What is refused changes nothing, and nothing is accepted by a channel that has ended.
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import type { ChannelKind } from "./network-rules.ts";

/** A channel whose turns need no graph. */
export type TurnChannelKind = Exclude<ChannelKind, "workflow">;

/** Where a channel stands. */
export type ChannelState = {
  readonly kind: TurnChannelKind;
  readonly initiator: string;
  /** In the order of turns, the initiator first. */
  readonly participants: readonly string[];
  readonly status: "pending" | "active" | "closed" | "expired";
  readonly acknowledged: readonly string[];
  /** Who may send, where only one may. */
  readonly turnOf?: string;
  /** Since when it is that one's turn. */
  readonly turnSinceMs: number;
  /** Those who let their turn pass too often, and are left out. */
  readonly hidden: readonly string[];
  readonly messageCount: number;
  readonly createdAtMs: number;
  readonly lastMessageAtMs: number;
  readonly closedBecause?: string;
};

/** Something that happened in a channel. */
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
  /** `pass`: somebody has nothing to say. `hide`: somebody is left out from now on. */
  | { readonly kind: "pass" | "hide"; readonly participant: string; readonly atMs: number };

/** The role of a participant: only two make a respondent. */
export type ChannelRole = "initiator" | "respondent" | "participant";

/**
 * Those who take part, the initiator first. Throws `invalid_definition` for a wrong number of them, or one that comes twice.
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

/** A channel that waits for its participants. Throws `invalid_definition` for a wrong number of them, or one that comes twice. */
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

/** The role of a participant in a channel. */
export function channelRole({ initiator, participants }: ChannelState, name: string): ChannelRole {
  if (name === initiator) return "initiator";
  return participants.length === 2 ? "respondent" : "participant";
}

/** The state after an event. Throws `conflict` for what may not happen now, `forbidden` for strangers. */
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

/** Gives the turn to the next one who is not hidden. */
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
