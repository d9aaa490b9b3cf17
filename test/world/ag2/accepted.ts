// Accepted differences between conversations of AG2 0.14 and ours. A rule looks at the field that differs and at the feature that causes it.
import type { AcceptedDifference } from "../support/accepted.ts";
import type { ConversationDifference } from "./compare-outcomes.ts";
import { FAILURES } from "./accepted-failures.ts";
import { LIMITS } from "./accepted-limits.ts";
import { TEXTS } from "./accepted-texts.ts";
import { TURNS } from "./accepted-turns.ts";
import { VIEWS } from "./accepted-views.ts";

export type ConversationRow = AcceptedDifference<ConversationDifference>;

/** In the order in which they are tried. */
export const ACCEPTED_CONVERSATIONS: readonly ConversationRow[] = [
  ...FAILURES,
  ...TEXTS,
  ...TURNS,
  ...LIMITS,
  ...VIEWS,
];
