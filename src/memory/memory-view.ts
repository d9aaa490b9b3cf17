// Memory types for agents, crews and flows. Types alone: users of a memory do not load its implementation.
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import type { Tool } from "../tools/tool.ts";
import type { ToolMemory } from "../tools/tool-memory.ts";
import type { MemoryModel } from "./memory-model.ts";
import type { MemoryPrompts } from "./memory-prompts.ts";
import type { MemoryMatch, MemoryRecord } from "./memory-record.ts";
import type { MemoryWrites } from "./memory-writes.ts";

/** Circumstances of a statement. Recalls find it also by them, with a lower weight. */
export type StatementContext = {
  /** Name of the person or agent who said it. A question with the name prefers it. */
  readonly speaker?: string | undefined;
  /** Time of the statement, the record's `createdAt`. @default the time of the save */
  readonly at?: Date | undefined;
  /** Text around it, such as the question it answers; at most 2,000 characters. */
  readonly context?: string | undefined;
};

/** Properties of a memory known before the save. A model fills in the rest. */
export type RememberOptions = StatementContext & {
  /**
   * Conversation in which the texts were said. The texts before and after each one in it, or in the same save, are part
   * of its context. @default the run of an agent or crew; outside of runs, the texts of one save
   */
  readonly conversation?: string | undefined;
  /** Circumstances of single texts of a save, in their order. They take precedence over those of the whole. */
  readonly each?: readonly StatementContext[] | undefined;
  /** Scope below the root. @default a model's choice; for a `MemoryScope`, the scope itself */
  readonly scope?: string | undefined;
  /** Categories of the record. Without them a model chooses; an empty list counts as a choice. */
  readonly categories?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Importance, 0 to 1. Without it a model decides. */
  readonly importance?: number | undefined;
  readonly source?: string | undefined;
  /** Limits the record to recalls with the same source. @default false */
  readonly private?: boolean | undefined;
  /** Role of the agent the memory comes from; part of the events. */
  readonly agentRole?: string | undefined;
  /** Root for this call alone. It lies below the memory's own root or repeats it as a longer path. */
  readonly rootScope?: string | undefined;
};

/** Options of a recall. */
export type RecallOptions = {
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** Maximum number of matches, 1 to 50. @default 10 */
  readonly limit?: number | undefined;
  /** Minimum similarity of matches, 0 to 1; see `MemoryMatch.similarity`. @default the memory's */
  readonly minScore?: number | undefined;
  /** `shallow` makes one search without a model. @default "deep" */
  readonly depth?: "shallow" | "deep" | undefined;
  /** Source of the caller. Private records of this source are included. */
  readonly source?: string | undefined;
  /** Includes private records of every source. @default false */
  readonly includePrivate?: boolean | undefined;
  /** @default the memory's */
  readonly hybrid?: boolean | undefined;
};

/** Conditions a record must all meet. An empty filter deletes no records; use `reset` to delete all. */
export type ForgetFilter = {
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** Created before this time. */
  readonly olderThan?: Date | undefined;
  /** Fields the metadata must equal, all of them. */
  readonly metadata?: JsonObject | undefined;
  readonly recordIds?: readonly string[] | undefined;
};

/** Fields of a record to change. Absent fields stay unchanged. */
export type RecordChanges = {
  readonly content?: string | undefined;
  /** Scope below the root. */
  readonly scope?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly importance?: number | undefined;
  readonly source?: string | undefined;
  readonly private?: boolean | undefined;
};

/** Options of a list of records, newest first. */
export type ListRecordsOptions = {
  readonly scope?: string | undefined;
  /** Size of the page, 1 to 1000. @default 200 */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
};

/** Place of a memory in a run, and the model for its questions. */
export type MemoryPlace = {
  /** Parent of the steps and events of each call, under `remember`, `recall`, ... in the order of the calls. */
  readonly scope: RunScope;
  /** Continues `rememberMany` beside the run. Without it the caller waits for `rememberMany`. */
  readonly writes?: MemoryWrites | undefined;
  /**
   * Asks models on behalf of a caller, within the caller's budget and with the caller's hooks. @default the memory's
   * own way
   */
  readonly model?: MemoryModel | undefined;
  /** @default the memory's own */
  readonly prompts?: Partial<MemoryPrompts> | undefined;
};

/** Memory interface for agents, tools and flows: a whole memory, a scope or a slice. */
export interface MemoryView {
  readonly kind: "memory" | "scope" | "slice";
  readonly readOnly: boolean;
  /** Path the memory never leaves; undefined for the whole memory or several paths. */
  readonly rootScope: string | undefined;
  /** Scope of saves without one; undefined if a model chooses it. */
  readonly defaultScope: string | undefined;
  /** Source of all its records and recalls, such as a person. @default each call's own */
  readonly source?: string | undefined;
  /** Prompts for models. */
  readonly prompts: MemoryPrompts;
  /** Returns matches, best first. Waits for pending saves. */
  recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]>;
  /** Saves one text. Returns its record, or the record it was merged into; null if the memory is read-only. */
  remember(content: string, options?: RememberOptions): Promise<MemoryRecord | null>;
  /** Saves several texts, beside the run where possible. `drainWrites` waits for them. */
  rememberMany(contents: readonly string[], options?: RememberOptions): Promise<readonly []>;
  /**
   * Extracts the statements worth remembering from a text. Returns the whole text if the model gives no usable answer.
   */
  extractMemories(content: string): Promise<readonly string[]>;
  /** Waits for pending saves. Never throws. */
  drainWrites(): Promise<void>;
  /** Deletes all its records. Fails with `conflict` for a read-only memory and for a slice. */
  clear(): Promise<void>;
  /** Returns this memory at a place of a run. By default a call joins the run in which it is made, if any. */
  inRun(place: MemoryPlace): MemoryView;
  /** Opens a session for one drive of a run. */
  openSession(): MemorySession;
}

/** Memory for agents and flows in one drive of a run. Saves continue beside the run, and recalls wait for them. */
export interface MemorySession {
  /** Returns the memory at a place of the run that replay visits again until `drain` (MW1). */
  at(place: RunScope): MemoryView;
  /**
   * Returns the memories about a question, one match a line; an empty text without matches. A failure is reported as an
   * event, and the work continues.
   */
  recall(place: RunScope, question: RecallQuestion): Promise<string>;
  /** Returns tools for the agent in `role` to search the memory and to save to it. */
  tools(caller: ModelCaller, role: string): readonly Tool[];
  /** Returns the memory for the tools of the agent in `role`: `context.memory`. */
  toolMemory(caller: ModelCaller, role: string): ToolMemory;
  /** Saves the statements of an answer beside the run. Replay must visit `place` again until `drain`. */
  save(place: RunScope, caller: ModelCaller, report: AnswerReport): void;
  /** Waits for pending saves. Never throws. */
  drain(): Promise<void>;
}

export type RecallQuestion = {
  readonly query: string;
  readonly limit: number;
  /** Caller on whose behalf models are asked. */
  readonly caller: ModelCaller;
  readonly taskName?: string | undefined;
};

/** Result of an agent's work. */
export type AnswerReport = {
  readonly description: string;
  readonly role: string;
  /** Absent for an answer outside a task. */
  readonly expectedOutput?: string;
  readonly output: string;
};
