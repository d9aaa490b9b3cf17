// What a step is asked to be, and what a journal is made with.
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
 * What may happen to a step whose execution a crash cut off. `pure` and `idempotent` run again, with the same
 * idempotency key; `once` never does.
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
  /** To be called when a sign of life comes: what counts for `StepSpec.hearsSilence`. */
  readonly alive: () => void;
  /** How many steps with the label of this one, a call of a model, the run began before it. The same for every execution. */
  readonly earlier: number;
};

export type StepSpec<T> = {
  readonly kind: StepKind;
  /** What people call the step. */
  readonly label?: string;
  /** What its row means beyond its kind; a function decides by the result. */
  readonly mark?: StepMark | ((value: T) => StepMark | null);
  /** Fingerprint of what is asked for; a finished step that has another one is reported as changed. */
  readonly inputHash?: string;
  /** @default "idempotent" */
  readonly effect?: Effect;
  /** @default DEFAULT_RETRY */
  readonly retry?: RetryPolicy;
  /** How long one execution may take. @default no limit */
  readonly timeoutMs?: number;
  /** How long it may be silent, and take in all, is as the limits for model calls say. `timeoutMs` is not needed then. @default false */
  readonly hearsSilence?: boolean;
  /** When the step must have ended, all attempts included. Milliseconds since the epoch. */
  readonly deadlineAtMs?: number | undefined;
  /** What getting the value has consumed; undefined for nothing. */
  readonly usage?: (value: T) => Usage | undefined;
  /** Of a model call, what its row says of it. Called when it starts, and with the result when it has ended. */
  readonly call?: (value?: NoInfer<T>) => StepCall;
  /**
   * What is asked for, to be kept in the step's row. Called when the step has ended, and not in a replay. `rowOf` reads what the row
   * of another step keeps.
   */
  readonly request?: (rowOf: (key: string) => JsonValue | undefined) => JsonValue | undefined;
  /**
   * Its result is for code of a user's and is given back as it was, with dates, bytes, maps and sets. Only of effects.
   * @default false: the result is JSON, a date in it its text
   */
  readonly carries?: boolean;
  /** Code of an error without one, for code of the user. @default by the kind of the step */
  readonly failureCode?: ErrorCode;
  readonly run: (context: StepContext) => Promise<T>;
};

export type JournalLimits = {
  /** Calls (models, tools) under way at once; the platform opens at most 6 connections. @default 5 */
  readonly concurrentCalls: number;
  /** @default 10_000 */
  readonly maxSteps: number;
  /** Of one result as JSON text, in UTF-16 units. @default 8 Mi */
  readonly maxValueLength: number;
  /** @default 5 */
  readonly maxInterruptions: number;
  /**
   * Longest wait for a model or an embedder that is away, from its first failure on, in milliseconds. 0 waits for none.
   * @default 900_000 (15 minutes); 60_000 for runs of this process
   */
  readonly outageMs: number;
  /** Longest wait for the first piece of a model's answer, in milliseconds. @default 600_000 (10 minutes) */
  readonly firstSignMs: number;
  /** Longest silence within a model's answer, in milliseconds. @default 120_000 (2 minutes) */
  readonly silenceMs: number;
  /** Limit of one request to a model, and of all tries of it that ran out of time, in milliseconds. @default 1_800_000 (30 minutes) */
  readonly callMs: number;
  /**
   * A wait before a further try that is longer is one of the run's: it is on record, and the run rests. In milliseconds.
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

/** What a drive tells its owner while it goes on. None of these may throw, except where it says so. */
export interface JournalObserver {
  /** A step that was cut off by a crash is being executed again. */
  restarted?(key: string, attempt: number): void;
  /** An execution failed and another one follows after `delayMs`. */
  retrying?(key: string, failure: { attempt: number; error: ErrorRecord; delayMs: number }): void;
  /** A finished step was asked for with another input than on record; its result is handed out all the same. May hold the drive. */
  changed?(row: StepRecord): void;
  /** A result was recorded; `key` was unfinished at the start of the drive, or is new. */
  recorded?(key: string): void;
  /** A wait was opened, now or in an earlier drive. */
  parked?(key: string, request: WaitRequest): void;
  /** A wait's time has come. Who takes this settles it; it may throw as the storage does. @default settle */
  due?(key: string, answer: Answer): void;
  /** A wait is taken back, as `due` (J14). @default settle */
  withdrawn?(key: string, answer: Answer): void;
}

export type JournalOptions = {
  readonly runId: string;
  readonly store: JournalStore;
  readonly clock: Clock;
  /** For all that this drive calls later; cleared when it ends. @default one of its own */
  readonly timer?: SharedTimer;
  readonly limits?: Partial<JournalLimits>;
  readonly observer?: JournalObserver;
  /** What an interruption counts for of the steps that were under way when the last drive was cut off. @default 1 */
  readonly interruptionWeight?: number;
  /** After this moment no further step starts; the drive ends as `yielded`. */
  readonly yieldAtMs?: number;
};

/** The code does not fit the record, or is gone: nothing new has happened, and other code may still go on. */
export type HeldDrive = {
  readonly state: "held";
  readonly error: ErrorRecord;
  /** The step that does not fit. */
  readonly key?: string;
};

/** How a drive ended. */
export type DriveResult =
  | { readonly state: "completed"; readonly value: JsonValue }
  | { readonly state: "failed"; readonly error: ErrorRecord }
  | HeldDrive
  | { readonly state: "parked"; readonly reason: "waiting" | "yielded" | "paused" }
  | { readonly state: "stopped" }
  /** The storage or the platform gave way: nothing is decided, the drive is to be repeated. */
  | { readonly state: "interrupted"; readonly cause: unknown };

/** `usage` is what getting it has consumed, where that is not a model call of the run's own. */
export type Answer = ({ readonly value: JsonValue } | { readonly error: ErrorRecord }) & {
  readonly usage?: Usage;
};
