import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";

/**
 * Kind of a step. `task`, `method`, `agent` and `group` run nested steps; once finished they replay as one row. `value`
 * is a reading taken without waiting (the clock); `wait` is settled from outside or by a timer.
 */
export type StepKind =
  | "model"
  | "tool"
  | "effect"
  | "task"
  | "method"
  | "agent"
  | "group"
  | "value"
  | "wait";

/** Kinds whose only work is to run other steps. */
export type GroupKind = Extract<StepKind, "task" | "method" | "agent" | "group">;

/**
 * Meaning of a row beyond its kind. `checkpoint`: once it is done, a fork can continue from here. `inputs`: its result
 * is the run's final inputs, so a fork with this row cannot have other inputs.
 */
export type StepMark = "checkpoint" | "inputs";

/**
 * State of a row. `started`: running when last written. `waiting`: an open wait, or a step whose nested steps continue
 * from where they stopped. `done` and `error` never change again.
 */
export type StepState = "started" | "waiting" | "done" | "error";

/** Request of a parked step. */
export type WaitRequest = {
  readonly kind: "human" | "input" | "child" | "timer" | "event";
  readonly prompt?: string;
  /** Subject of the prompt, on its own. */
  readonly subject?: string;
  /**
   * Full subject of the prompt as data, for programs and for readers who need all of it. For a tool call: `tool`, its
   * whole `arguments`, and their `sha256`.
   */
  readonly data?: JsonObject;
  /** JSON Schema of the answer. */
  readonly schema?: JsonObject;
  /** Allows `approve: false` as an answer to a person's wait with a schema. The code receives `{ approve, value? }`. */
  readonly declinable?: boolean;
  readonly choices?: readonly string[];
  /** An answer needs words in `feedback` (or a text in `value`); approval alone is refused, and the wait stays open. */
  readonly needsFeedback?: boolean;
  /**
   * The answer is words, which may be none; choices are proposals. Without choices, approval alone is refused, and the
   * wait stays open.
   */
  readonly freeText?: boolean;
  /** Due time of a timer, or expiry of any other wait; milliseconds since the epoch. */
  readonly dueAtMs?: number;
  /**
   * Start of an outage in milliseconds since the epoch, and the number of failed attempts. Only on a step waiting for a
   * server.
   */
  readonly sinceMs?: number;
  readonly tries?: number;
  /** Answer of an expired wait. Without it, the wait fails with `wait_expired`, or `timeout` for a child. */
  readonly otherwise?: JsonValue;
  /** Name of the expected event, for waits of kind `event`. */
  readonly event?: string;
  /** Id of the child run, for waits of kind `child`. */
  readonly runId?: string;
  /** Common name of waits whose answers the code needs together. Only the last answer, or an error, wakes the run. */
  readonly join?: string;
};

/** Data of a model call in its row, for readers of the run. */
export type StepCall = {
  /** Name of the model in code, until the answer names the model behind it. */
  readonly model: string;
  /** Role of the calling agent. */
  readonly agent?: string;
  /** Task of the calling agent. */
  readonly task?: string;
  /** Purpose of the call, such as `turn` or `guardrail`. */
  readonly purpose?: string;
  /** Time from the beginning of the last attempt to the first piece of a streamed answer. */
  readonly firstTokenMs?: number;
  /** US dollars per million tokens of the prompt and of the answer, if a setting has them. */
  readonly price?: readonly [input: number, output: number];
  readonly finishReason?: string;
};

/** One row of the journal. Times are milliseconds since the epoch. */
export type StepRecord = {
  readonly key: string;
  readonly kind: StepKind;
  /**
   * Name of the step for people: a task's, method's, tool's or model's name, or an agent's role. Null if the key is
   * enough.
   */
  readonly label: string | null;
  /** Key of the enclosing step; null for a step of the program itself. */
  readonly parent: string | null;
  readonly mark: StepMark | null;
  readonly state: StepState;
  /** Executions begun, including the current one. */
  readonly attempt: number;
  /** Executions cut off by a crash or a deploy. */
  readonly interrupted: number;
  /** Weight of the interruptions in the crash budget (CB1). Absent if each counts 1. */
  readonly cutWeight?: number;
  /** Fingerprint of the step's input; null if inputs are not compared. */
  readonly inputHash: string | null;
  /** Places in the common order of all starts and ends of this run. */
  readonly startedSeq: number;
  readonly endedSeq: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** Result as JSON text; null without one. */
  readonly value: string | null;
  /** Request as JSON text, written with the result; null if it is not stored. */
  readonly request: string | null;
  readonly error: ErrorRecord | null;
  /** Request of a wait. On any other unfinished step, the reason for its last pause before another attempt (J17). */
  readonly wait: WaitRequest | null;
  readonly usage: Usage | null;
  /** Data of a model call. Absent in rows of earlier versions. */
  readonly call?: StepCall;
};

/** A row without its result and request: enough for an overview and a replay plan. */
export type StepSummary = Omit<StepRecord, "value" | "request"> & {
  /** Length of the result, in UTF-16 units. */ readonly bytes: number;
};

/** Selection of rows, in the order of their start. */
export type StepQuery = {
  /** `desc` puts the last row first. */
  readonly order: "asc" | "desc";
  /** Only rows after this place in the requested order. @default all */
  readonly after?: number;
  readonly limit: number;
  /** Only rows with keys below this one. */
  readonly under?: string;
  /** Depth of nesting: 1 for steps directly below `under`. @default all */
  readonly depth?: number;
  readonly kinds?: readonly StepKind[];
  readonly states?: readonly StepState[];
  /** Text contained in the key. */
  readonly text?: string;
};

/** Usage of one model for one agent and task. */
export type UsageOf = {
  /** Name of the model; for other steps their kind, and `child` for child runs. */
  readonly model: string;
  readonly agent?: string;
  readonly task?: string;
  readonly usage: Usage;
};

/**
 * Storage of a journal's rows. Synchronous, because a row and its consequences must be written in one turn. An
 * exception from a method means a storage failure: the drive ends undecided and is tried again.
 */
export interface JournalStore {
  get(key: string): StepRecord | undefined;
  /**
   * Writes the whole row, new or existing. It can be read immediately, and is stored by the end of the turn, or with
   * `commit`.
   */
  put(record: StepRecord): void;
  /** Stores the writes of this turn, so an action starting now finds its row after any crash. */
  commit(): void;
  /** Rows in order of their start, after place `afterSeq`, at most `limit`. */
  list(afterSeq: number, limit: number): readonly StepSummary[];
  /** Open waits, oldest first. */
  waits(): readonly StepSummary[];
  count(): number;
  /** Last used place in the order of starts and ends; 0 for an empty journal. */
  lastSeq(): number;
  /** Total usage of all model calls so far. */
  usage(): Usage;
  /** The same by model, agent and task, in the order of their first calls. */
  usageBy(): readonly UsageOf[];
  /** Returns a page of the selected rows. */
  page(query: StepQuery): readonly StepSummary[];
  /**
   * Returns a slice of a result as JSON text, or null without a result. Does not load the text before the slice into
   * memory.
   */
  piece(key: string, from: number, length: number): string | null;
  /** Number of child runs: started, and still awaited by the run. */
  children(): { readonly total: number; readonly open: number };
}
