import type { Carryover } from "../carryover.ts";
import type { SafeguardOptions } from "../safeguards/safeguard-options.ts";
import type { OpeningMessage } from "./opening-message.ts";
import type { SummaryArgs, SummaryMethod } from "./summary-method.ts";

/** Options of a chat of two agents. */
export type ChatOptions = SafeguardOptions & {
  readonly message?: OpeningMessage;
  /** Maximum number of messages with their answers. An integer >= 0. @default until one of the two has no reply */
  readonly maxTurns?: number;
  /** Set to forget earlier messages of the two first. @default true */
  readonly clearHistory?: boolean;
  /** @default "last_msg" */
  readonly summaryMethod?: SummaryMethod | null;
  readonly summaryArgs?: SummaryArgs;
  /** Carryover of earlier chats. */
  readonly carryover?: Carryover;
};
