import type { ConversationMessage } from "../messages.ts";

/** Severity of an alert. A fatal one stops the conversation. */
export type AlertSeverity = "info" | "warning" | "critical" | "fatal";

/** An observer's finding. */
export type Alert = { readonly severity: AlertSeverity; readonly message: string };

/** A finished turn of an agent's model, before any of its calls is executed. */
export type ObservedTurn = {
  readonly agent: string;
  /** The agent's view of the conversation, including its new message. */
  readonly messages: readonly ConversationMessage[];
  /** Tokens that the run consumed before and after the turn. */
  readonly tokens: { readonly before: number; readonly after: number };
};

/**
 * Inspects each turn of an agent. It has no state between turns: its alerts depend on the turn alone, so they are the
 * same after a crash.
 */
export type ConversationObserver = {
  readonly name: string;
  readonly observe: (turn: ObservedTurn) => readonly Alert[];
};
