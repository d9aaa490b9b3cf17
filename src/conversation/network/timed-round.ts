import type { ExpectationAction, ExpectationKind } from "./expectations.ts";

/** A violated expectation in a channel. */
export type ChannelViolation = {
  readonly expectation: ExpectationKind;
  readonly action: ExpectationAction;
  /** Late members; empty if no particular member was late. */
  readonly late: readonly string[];
  readonly atMs: number;
};

/** Timing notes of a channel's round: all timing state for its channel. Times are milliseconds since the epoch. */
export type TimedRound = {
  readonly startedAtMs: number;
  readonly violations: readonly ChannelViolation[];
  /** Keys of the fired expectations. */
  readonly fired: readonly string[];
  /** Members hidden from now on. */
  readonly hidden?: readonly string[];
  readonly ending?: ChannelEnding;
  /** Index of the fired watch. */
  readonly woken?: number;
};

/** End of a channel that its members did not cause. */
export type ChannelEnding = { readonly status: "closed" | "expired"; readonly reason: string };
