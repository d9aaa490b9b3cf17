// What passes through a network, and the checks on it.
//
//   ENV1. Checks have an order: the sender, its rule and the depth, the channel, whether it is open, the inboxes. The first that fails says why.
//   ENV2. Who may send is not who is reached: a receiver's own rule leaves out what it does not want, without an error.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import { checkReach, reaches, type NetworkRule } from "./network-rules.ts";

/** A message of a network. */
export type Envelope = {
  readonly channelId: string;
  readonly senderId: string;
  /** Null: everybody in the channel. */
  readonly recipients: readonly string[] | null;
  readonly eventType: string;
  readonly eventData: JsonObject;
  /** How many agents have handed the work on. */
  readonly depth: number;
  readonly priority?: "background" | "normal" | "urgent";
  readonly idempotencyKey?: string;
};

/** The channel that an envelope goes to, as far as the checks look at it. */
export type EnvelopeChannel = {
  readonly participants: readonly string[];
  readonly status: "pending" | "active" | "closing" | "closed" | "expired";
};

/** A network as the checks see it. */
export type EnvelopeSurroundings = {
  readonly isRegistered: (name: string) => boolean;
  readonly ruleOf: (name: string) => NetworkRule | undefined;
  readonly channel: EnvelopeChannel | undefined;
  /** How many envelopes somebody has not read. */
  readonly pendingOf: (name: string) => number;
};

/** Those whom an envelope reaches. Throws `not_found`, `forbidden`, `conflict` or `limit_exceeded`. */
export function checkEnvelope(
  envelope: Envelope,
  { isRegistered, ruleOf, channel, pendingOf }: EnvelopeSurroundings,
): readonly string[] {
  const { senderId, channelId, depth, eventType } = envelope;
  if (!isRegistered(senderId))
    throw new EngineError("not_found", `the sender "${senderId}" is not registered`);
  const { delegationDepth = 5 } = ruleOf(senderId)?.limits ?? {};
  for (const name of envelope.recipients ?? channel?.participants ?? [])
    if (name !== senderId) checkReach(senderId, name, ruleOf);
  if (depth > delegationDepth)
    throw new EngineError(
      "forbidden",
      `work may be handed on ${delegationDepth} times, got ${depth}`,
    );
  if (channel === undefined)
    throw new EngineError("not_found", `the channel "${channelId}" does not exist`);
  if (channel.status === "closed" || channel.status === "expired")
    throw new EngineError("conflict", `the channel "${channelId}" is ${channel.status}`);
  if (channel.status !== "active" && !isProtocolEvent(eventType))
    throw new EngineError(
      "conflict",
      `the channel "${channelId}" is ${channel.status}, not active`,
    );
  if (!channel.participants.includes(senderId))
    throw new EngineError("forbidden", `"${senderId}" is no participant of "${channelId}"`);
  const receivers = receiversOf(envelope, channel, ruleOf);
  for (const name of receivers) {
    const { inboxMaxPending = 1_000 } = ruleOf(name)?.limits ?? {};
    if (pendingOf(name) >= inboxMaxPending)
      throw new EngineError(
        "limit_exceeded",
        `the inbox of "${name}" is full (${inboxMaxPending}): send again later`,
        { retryable: true },
      );
  }
  return receivers;
}

function receiversOf(
  { senderId, recipients }: Envelope,
  { participants }: EnvelopeChannel,
  ruleOf: (name: string) => NetworkRule | undefined,
): readonly string[] {
  return participants.filter(
    (name) =>
      name !== senderId &&
      (recipients === null || recipients.includes(name)) &&
      reaches(senderId, name, ruleOf),
  );
}

/** What belongs to a channel's own life, and passes before it is active. */
function isProtocolEvent(eventType: string): boolean {
  return eventType.startsWith("ag2.channel.");
}
