// Messages to a run under way, as code in the run receives them.
import type { JsonObject } from "../base/json.ts";

/**
 * Time of delivery. `steer`: at the next model call. `queue`: at the next turn of an agent, or at the next task of a
 * crew. `interrupt`: like `steer`, and model calls and tools under way are aborted.
 */
export const MAIL_MODES = ["steer", "queue", "interrupt"] as const;
export type MailMode = (typeof MAIL_MODES)[number];

/** Author of a message, as the model sees it. */
export type Speaker = {
  readonly id?: string | undefined;
  /** Name for people and models. */
  readonly name?: string | undefined;
};

/** A message as it reaches code in the run. The record has it whole, so replays and forks see the same. */
export type ReceivedMail = {
  readonly id: string;
  readonly content: string;
  readonly speaker?: Speaker;
  /** The receiver that it names. */
  readonly to?: string;
};

/** Receiver of messages in a run. */
export type MailReceiver = {
  /** Names in `to` that mean this receiver: a role, a task, a member. */
  readonly names: readonly string[];
  /** `turn`: queued messages too. `task`: queued messages sent before the receiver began. @default neither */
  readonly queue?: "turn" | "task";
};

/** The messages of a run, as its scopes reach them. */
export interface MailPort {
  /** True if a message was ever sent to the run. */
  readonly hasMail: boolean;
  /**
   * Takes the messages for a receiver, oldest first. `key` is its enclosing step, and `since` the place of that step's
   * start in the journal.
   */
  take(
    receiver: MailReceiver,
    at: { readonly key: string; readonly since: number },
  ): readonly ReceivedMail[];
}

/** Returns the recorded form of a message. */
export function mailRecord({ id, content, speaker, to }: ReceivedMail): JsonObject {
  return {
    id,
    content,
    ...(speaker === undefined ? undefined : { speaker: speakerRecord(speaker) }),
    ...(to === undefined ? undefined : { to }),
  };
}

function speakerRecord({ id, name }: Speaker): JsonObject {
  return {
    ...(id === undefined ? undefined : { id }),
    ...(name === undefined ? undefined : { name }),
  };
}
