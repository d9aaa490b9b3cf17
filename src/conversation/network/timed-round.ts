import type { ExpectationAction, ExpectationKind } from "./expectations.ts";

/** An expectation that was not met in a channel. */
export type ChannelViolation = {
  readonly expectation: ExpectationKind;
  readonly action: ExpectationAction;
  /** Those who were late; empty when it is nobody in particular. */
  readonly late: readonly string[];
  readonly atMs: number;
};

/** What a round of a channel notes about time: all that its channel has to know of it. Times are milliseconds since the epoch. */
export type TimedRound = {
  readonly startedAtMs: number;
  readonly violations: readonly ChannelViolation[];
  /** Keys of the expectations that have fired. */
  readonly fired: readonly string[];
  /** Those who are left out from now on. */
  readonly hidden?: readonly string[];
  readonly ending?: ChannelEnding;
  /** The watch that spoke, by its place in the list. */
  readonly woken?: number;
};

/** How a channel has ended, where that is not the doing of those who speak in it. */
export type ChannelEnding = { readonly status: "closed" | "expired"; readonly reason: string };
