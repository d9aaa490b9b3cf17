// Specification of a step, and options of a journal.
import type { Clock } from "../base/clock.ts";
import type { SharedTimer } from "../base/shared-timer.ts";
import type { ErrorCode, ErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import type { RetryPolicy } from "../base/retry.ts";
import type { Usage } from "../base/usage.ts";
import type { Activity } from "./activity.ts";
import type {
  JournalStore,
  StepCall,
  StepKind,
  StepMark,
  StepRecord,
  WaitRequest,
} from "./journal-store.ts";

/**
 * Handling of a step cut off by a crash. `pure` and `idempotent` run again with the same idempotency key; `once` never
 * does.
 */
export type Effect = "pure" | "idempotent" | "once";

export type StepContext = {
  /** The step's key, a path: `task:research/turn:3/tool:search#0`. */
  readonly key: string;
  /** 1 for the first execution. */
  readonly attempt: number;
  /** The same for every execution of this step: `<run id>:<key>`. */
  readonly idempotencyKey: string;
  /** Aborts when the step times out or the run is cancelled. */
  readonly signal: AbortSignal;
  /** The place below which the step may run steps of its own. */
  readonly activity: Activity;
  /** Reports a sign of life, which counts for `StepSpec.hearsSilence`. */
  readonly alive: () => void;
  /** Number of steps with the same label that the run began before this model call. The same for every execution. */
  readonly earlier: number;
};

export type StepSpec<T> = {
  readonly kind: StepKind;
  /** Name of the step for people. */
  readonly label?: string;
  /** Meaning of its row beyond its kind; a function decides by the result. */
  readonly mark?: StepMark | ((value: T) => StepMark | null);
  /** Fingerprint of the input. A finished step with another fingerprint is reported as changed. */
  readonly inputHash?: string;
  /** @default "idempotent" */
  readonly effect?: Effect;
  /** @default DEFAULT_RETRY */
  readonly retry?: RetryPolicy;
  /** Time limit of one execution, in milliseconds. @default no limit */
  readonly timeoutMs?: number;
  /** Applies the limits for model calls to its silence and its total time, in place of `timeoutMs`. @default false */
  readonly hearsSilence?: boolean;
  /** Deadline of the step for all attempts, in milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
  /** Returns the usage behind the value; undefined for zero usage. */
  readonly usage?: (value: T) => Usage | undefined;
  /** Returns the data of a model call for its row. Called when it starts, and with the result when it has ended. */
  readonly call?: (value?: NoInfer<T>) => StepCall;
  /**
   * Returns the request to store in the step's row. Called when the step has ended, and not in a replay. `rowOf` reads
   * the stored request of another step.
   */
  readonly request?: (rowOf: (key: string) => JsonValue | undefined) => JsonValue | undefined;
  /**
   * Returns the result to code of the user unchanged, with dates, bytes, maps and sets. Only for effects.
   * @default false: the result is JSON, a date in it its text
   */
  readonly carries?: boolean;
  /** Code for a user's error without a code of its own. @default by the kind of the step */
  readonly failureCode?: ErrorCode;
  readonly run: (context: StepContext) => Promise<T>;
};

export type JournalLimits = {
  /** Maximum concurrent calls (models, tools); the platform opens at most 6 connections. @default 5 */
  readonly concurrentCalls: number;
  /** @default 10_000 */
  readonly maxSteps: number;
  /** Maximum length of one result as JSON text, in UTF-16 units. @default 8 Mi */
  readonly maxValueLength: number;
  /** @default 5 */
  readonly maxInterruptions: number;
  /**
   * Longest wait for an unavailable model or embedder, from its first failure on, in milliseconds. 0 disables the wait.
   * @default 900_000 (15 minutes); 60_000 for runs of this process
   */
  readonly outageMs: number;
  /** Longest wait for the first piece of a model's answer, in milliseconds. @default 600_000 (10 minutes) */
  readonly firstSignMs: number;
  /** Longest silence within a model's answer, in milliseconds. @default 120_000 (2 minutes) */
  readonly silenceMs: number;
  /**
   * Time limit of one model request, and of all its timed-out attempts together, in milliseconds. @default 1_800_000
   * (30 minutes)
   */
  readonly callMs: number;
  /**
   * Longest delay before another attempt that the drive sleeps through, in milliseconds. A longer delay is recorded,
   * and the run rests.
   * @default 5_000; any in this process
   */
  readonly longestSleepMs: number;
};

export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  concurrentCalls: 5,
  maxSteps: 10_000,
  maxValueLength: 8 * 1024 * 1024,
  maxInterruptions: 5,
  outageMs: 900_000,
  firstSignMs: 600_000,
  silenceMs: 120_000,
  callMs: 1_800_000,
  longestSleepMs: 5_000,
};

/** Callbacks from a drive to its owner. They must not throw, except where noted. */
export interface JournalObserver {
  /** A step cut off by a crash is being executed again. */
  restarted?(key: string, attempt: number): void;
  /** An execution failed and another one follows after `delayMs`. */
  retrying?(key: string, failure: { attempt: number; error: ErrorRecord; delayMs: number }): void;
  /**
   * A finished step was requested with another input than recorded; its result is delivered nevertheless. May hold the
   * drive.
   */
  changed?(row: StepRecord): void;
  /** A result was recorded; `key` was unfinished at the start of the drive, or is new. */
  recorded?(key: string): void;
  /** A wait was opened, now or in an earlier drive. */
  parked?(key: string, request: WaitRequest): void;
  /**
   * A wait has reached its due time. An observer with this method settles the wait, and may throw like the storage.
   * @default settle
   */
  due?(key: string, answer: Answer): void;
  /** A wait is withdrawn, handled like `due` (J14). @default settle */
  withdrawn?(key: string, answer: Answer): void;
}

export type JournalOptions = {
  readonly runId: string;
  readonly store: JournalStore;
  readonly clock: Clock;
  /** Timer for all delayed calls of this drive; cleared when it ends. @default a timer of its own */
  readonly timer?: SharedTimer;
  readonly limits?: Partial<JournalLimits>;
  readonly observer?: JournalObserver;
  /** Weight of an interruption for the steps running when the last drive was cut off. @default 1 */
  readonly interruptionWeight?: number;
  /** After this moment no further step starts; the drive ends as `yielded`. */
  readonly yieldAtMs?: number;
};

/** The code is gone or does not fit the record. No new work was done, and other code may still continue the run. */
export type HeldDrive = {
  readonly state: "held";
  readonly error: ErrorRecord;
  /** Key of the step that does not fit. */
  readonly key?: string;
};

/** Outcome of a drive. */
export type DriveResult =
  | { readonly state: "completed"; readonly value: JsonValue }
  | { readonly state: "failed"; readonly error: ErrorRecord }
  | HeldDrive
  | { readonly state: "parked"; readonly reason: "waiting" | "yielded" | "paused" }
  | { readonly state: "stopped" }
  /** The storage or the platform failed: the outcome is undecided, and the drive is repeated. */
  | { readonly state: "interrupted"; readonly cause: unknown };

/** Answer of a wait. `usage` is the cost of getting it, except for model calls of the run itself. */
export type Answer = ({ readonly value: JsonValue } | { readonly error: ErrorRecord }) & {
  readonly usage?: Usage;
};
