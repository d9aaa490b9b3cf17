// A message to a run under way: its request, its state, and its bounds.
import { cut } from "../../base/cut.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import { MAIL_MODES, type MailMode, type Speaker } from "../../events/mail.ts";

export const MAIL_LIMITS = {
  /** Maximum length of a message, in UTF-16 units. */
  content: 100_000,
  /** Maximum number of messages of one run. */
  messages: 1_000,
  /** Maximum number of pending messages. */
  pending: 100,
  /** Maximum length of ids, names and addresses. */
  name: 200,
} as const;

/** Message to send. */
export type MessageRequest = {
  /** Identifies a repeated message. @default a new one */
  readonly id?: string | undefined;
  /** @default "steer" */
  readonly mode?: MailMode | undefined;
  readonly content: string;
  /** Role of an agent or name of a task. @default every active agent */
  readonly to?: string | undefined;
  readonly speaker?: Speaker | undefined;
};

/**
 * `pending`: not seen yet. `delivered`: part of at least one model call. `withdrawn`: taken back before that.
 * `undelivered`: the run ended first.
 */
export const MESSAGE_STATES = ["pending", "delivered", "withdrawn", "undelivered"] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** A message of a run as the API shows it. Times are ISO 8601, UTC. */
export type RunMessage = {
  readonly id: string;
  readonly mode: MailMode;
  readonly content: string;
  readonly to?: string;
  readonly speaker?: Speaker;
  readonly state: MessageState;
  readonly sentAt: string;
};

/** A message without its words. */
export type MessageReceipt = Pick<RunMessage, "id" | "mode" | "state" | "sentAt">;

/** A message as the run stores it. */
export type KeptMessage = Omit<RunMessage, "state" | "sentAt"> & {
  readonly sentAtMs: number;
  /** Last place in the journal when it arrived. */
  readonly after: number;
  readonly withdrawn?: true;
};

/** Throws `invalid_input`, naming the wrong field. */
export function checkMessage(request: MessageRequest): void {
  const { id, mode = "steer", content, to, speaker } = request;
  if (typeof content !== "string" || content.trim() === "")
    throw wrong("content", "a text with words", content);
  if (content.length > MAIL_LIMITS.content)
    throw new EngineError(
      "invalid_input",
      `content must have at most ${MAIL_LIMITS.content} characters, got ${content.length}`,
    );
  if (!MAIL_MODES.includes(mode)) throw wrong("mode", `one of ${MAIL_MODES.join(", ")}`, mode);
  for (const [field, value] of [
    ["id", id],
    ["to", to],
    ["speaker.id", speaker?.id],
    ["speaker.name", speaker?.name],
  ] as const)
    if (value !== undefined && !isName(value))
      throw wrong(field, `a text of 1 to ${MAIL_LIMITS.name} characters`, value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && value.length <= MAIL_LIMITS.name;
}

function wrong(field: string, expected: string, value: unknown): EngineError {
  return new EngineError(
    "invalid_input",
    `${field} must be ${expected}, got ${cut(preview(value), 100)}`,
  );
}

/** True if two messages of one id are the same message. */
export function isSameMessage(kept: KeptMessage, request: MessageRequest): boolean {
  const { mode = "steer", content, to, speaker } = request;
  return (
    kept.mode === mode &&
    kept.content === content &&
    kept.to === to &&
    kept.speaker?.id === speaker?.id &&
    kept.speaker?.name === speaker?.name
  );
}
