import type { Asked } from "./script-server.ts";

export type MessageOutcome = {
  readonly role: string | null;
  readonly name: string | null;
  readonly content: string;
  /** Name and arguments of each call. */
  readonly calls?: readonly (readonly [string, string])[];
  readonly results?: readonly string[];
};

/** End of one chat. */
export type ChatOutcome = {
  readonly history: readonly MessageOutcome[];
  readonly summary: string;
  /** Words of people. */
  readonly human?: readonly string[];
  /** Reason of the end; Edgecrew's alone. */
  readonly reason?: string;
};

/** End of a conversation on one side. */
export type Outcome = Asked & {
  readonly id: string;
  readonly status: "completed" | "failed" | "hangs";
  /** Code or class of the error. */
  readonly error?: string;
  readonly message?: string;
  /** Last frames of the error's stack; AG2's alone. */
  readonly trace?: readonly string[];
  /** One chat, or those of a queue. */
  readonly chats: readonly ChatOutcome[];
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly lastSpeaker?: string;
  /** Tools that ran, with their arguments. */
  readonly toolCalls: readonly (readonly [string, unknown])[];
  /** Truth of each expression, or `error …`. */
  readonly truths?: readonly (boolean | string)[];
};
