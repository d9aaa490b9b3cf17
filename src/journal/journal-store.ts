import type { ErrorRecord } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";

/**
 * What a step is. `task`, `method`, `agent` and `group` hold steps of their own; once finished they replay as one row.
 * `value` is a reading taken without waiting (the clock); `wait` is settled from outside or by a timer.
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

/** The kinds whose own work is only to run other steps. */
export type GroupKind = Extract<StepKind, "task" | "method" | "agent" | "group">;

/**
 * What a row means beyond its kind. `checkpoint`: once it is done, a fork can go on from here. `inputs`: its result is what
 * the run's inputs became, so a fork that takes it over cannot have other inputs.
 */
export type StepMark = "checkpoint" | "inputs";

/**
 * `started` was under way when last written; `waiting` is a wait that is open, or a step whose own steps carry on
 * from where they stopped; `done` and `error` never change again.
 */
export type StepState = "started" | "waiting" | "done" | "error";

/** What a parked step waits for. */
export type WaitRequest = {
  readonly kind: "human" | "input" | "child" | "timer" | "event";
  readonly prompt?: string;
  /** What the prompt asks about, by itself. */
  readonly subject?: string;
  /** What the prompt asks about, for programs and for whoever must see all of it. */
  readonly data?: JsonObject;
  /** JSON Schema that the answer must fit. */
  readonly schema?: JsonObject;
  /** Of a person's wait with a schema: `approve: false` is an answer too. The code gets `{ approve, value? }`. */
  readonly declinable?: boolean;
  readonly choices?: readonly string[];
  /** The choices are proposals: other words are an answer too. */
  readonly freeText?: boolean;
  /** When a timer settles by itself, or any other wait expires; milliseconds since the epoch. */
  readonly dueAtMs?: number;
  /** Of a step that waits for a server: since when, in milliseconds since the epoch, and how many tries have failed. */
  readonly sinceMs?: number;
  readonly tries?: number;
  /** What an expired wait answers. Without it, it fails with `wait_expired`, or `timeout` for a child. */
  readonly otherwise?: JsonValue;
  /** The name of the event that a wait of kind `event` is for. */
  readonly event?: string;
  /** The run that a wait of kind `child` is for. */
  readonly runId?: string;
  /** Waits of one name that the code needs all of: an answer wakes the run when it is the last of them, or an error. */
  readonly join?: string;
};

/** What a model call says of itself in its row, for readers of the run. */
export type StepCall = {
  /** As it is named in code, until the answer says which model gave it. */
  readonly model: string;
  /** Role of the agent that asks. */
  readonly agent?: string;
  /** The task that it asks for. */
  readonly task?: string;
  /** What the call is for, such as `turn` or `guardrail`. */
  readonly purpose?: string;
  /** From the beginning of the last attempt to the first piece of a streamed answer. */
  readonly firstTokenMs?: number;
  /** US dollars per million tokens of the prompt and of the answer, where a setting says so. */
  readonly price?: readonly [input: number, output: number];
  readonly finishReason?: string;
};

/** One row of the journal. Times are milliseconds since the epoch. */
export type StepRecord = {
  readonly key: string;
  readonly kind: StepKind;
  /** What people call the step: a task's, method's, tool's or model's name, an agent's role; null where its key says enough. */
  readonly label: string | null;
  /** Key of the step that runs this one; null for a step of the program itself. */
  readonly parent: string | null;
  readonly mark: StepMark | null;
  readonly state: StepState;
  /** Executions begun, the one under way included. */
  readonly attempt: number;
  /** How many of those a crash or a deploy cut off. */
  readonly interrupted: number;
  /** What those count for in the crash budget (CB1). Absent where each counts 1. */
  readonly cutWeight?: number;
  /** Fingerprint of what the step was asked to do; null when it is not to be compared. */
  readonly inputHash: string | null;
  /** Places in the one order of all starts and ends of this run. */
  readonly startedSeq: number;
  readonly endedSeq: number | null;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** The result as JSON text; null when there is none. */
  readonly value: string | null;
  /** What was asked for, as JSON text; null where that is not kept. Written with the result. */
  readonly request: string | null;
  readonly error: ErrorRecord | null;
  /** What a wait waits for; of any other step that is not finished, what it waited for last before a further try (J17). */
  readonly wait: WaitRequest | null;
  readonly usage: Usage | null;
  /** Of a model call. Absent in rows of earlier versions. */
  readonly call?: StepCall;
};

/** A row without its result and request: what an overview and a replay plan need. */
export type StepSummary = Omit<StepRecord, "value" | "request"> & {
  /** Length of the result, in UTF-16 units. */ readonly bytes: number;
};

/** Which rows are wanted, in the order of their start. */
export type StepQuery = {
  /** `desc`: the last one first. */
  readonly order: "asc" | "desc";
  /** Only rows that come after this place in the order asked for. @default all */
  readonly after?: number;
  readonly limit: number;
  /** Only rows whose keys lie below this one. */
  readonly under?: string;
  /** How many steps deep: 1 for those that no other step of `under` runs. @default all */
  readonly depth?: number;
  readonly kinds?: readonly StepKind[];
  readonly states?: readonly StepState[];
  /** A piece of the key. */
  readonly text?: string;
};

/** What calls of one model consumed for one agent and task. */
export type UsageOf = {
  /** Of steps that are no calls of models, their kind; `child` for child runs. */
  readonly model: string;
  readonly agent?: string;
  readonly task?: string;
  readonly usage: Usage;
};

/**
 * Where a journal's rows live. Synchronous, because a row and what follows from it must be written in one turn.
 * A method that throws means that the storage gave way: the drive ends undecided and is tried again.
 */
export interface JournalStore {
  get(key: string): StepRecord | undefined;
  /** Writes the row whole, whether it is new or not. It can be read at once, and is stored by the end of the turn, or with `commit`. */
  put(record: StepRecord): void;
  /** Stores what this turn has written: an action that begins now finds it on record whatever happens. */
  commit(): void;
  /** Rows in order of their start, after place `afterSeq`, at most `limit`. */
  list(afterSeq: number, limit: number): readonly StepSummary[];
  /** Open waits, oldest first. */
  waits(): readonly StepSummary[];
  count(): number;
  /** The last place given in the order of starts and ends; 0 for an empty journal. */
  lastSeq(): number;
  /** What all model calls so far consumed. */
  usage(): Usage;
  /** The same by model, agent and task, in the order of their first calls. */
  usageBy(): readonly UsageOf[];
  /** A page of the rows that a reader wants. */
  page(query: StepQuery): readonly StepSummary[];
  /** A piece of a result as JSON text; null where there is none. What comes before the piece is not held in memory. */
  piece(key: string, from: number, length: number): string | null;
  /** How many child runs the run has started, and how many of them it waits for. */
  children(): { readonly total: number; readonly open: number };
}
