import type { ConversationMessage } from "../messages.ts";

/** How much an alert matters. A fatal one stops the conversation. */
export type AlertSeverity = "info" | "warning" | "critical" | "fatal";

/** What an observer has to say. */
export type Alert = { readonly severity: AlertSeverity; readonly message: string };

/** A turn that an agent's model has just taken, before any of its calls is executed. */
export type ObservedTurn = {
  readonly agent: string;
  /** What the agent sees of the conversation, with what it says now. */
  readonly messages: readonly ConversationMessage[];
  /** How many tokens the run had consumed before the turn, and has now. */
  readonly tokens: { readonly before: number; readonly after: number };
};

/**
 * Looks at each turn of an agent. It keeps nothing from turn to turn: what it says has to follow from the turn, so that it says the
 * same after a crash.
 */
export type ConversationObserver = {
  readonly name: string;
  readonly observe: (turn: ObservedTurn) => readonly Alert[];
};
