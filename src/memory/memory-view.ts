// What others need of a memory. Types alone: agents, crews and flows use memories without carrying their code.
import type { JsonObject } from "../base/json.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelCaller } from "../model-calls/model-call.ts";
import type { Tool } from "../tools/tool.ts";
import type { MemoryModel } from "./memory-model.ts";
import type { MemoryPrompts } from "./memory-prompts.ts";
import type { MemoryMatch, MemoryRecord } from "./memory-record.ts";
import type { MemoryWrites } from "./memory-writes.ts";

/** What is known of a memory before it is saved; a model fills in the rest. */
export type RememberOptions = {
  /** Below the root. Without it a model chooses; below a `MemoryScope` it is that scope. */
  readonly scope?: string | undefined;
  /** Without them a model chooses; an empty list is a choice. */
  readonly categories?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  /** 0 to 1. Without it a model judges. */
  readonly importance?: number | undefined;
  readonly source?: string | undefined;
  /** Only recalls of the same source see it. @default false */
  readonly private?: boolean | undefined;
  /** Whose work it comes from; events say so. */
  readonly agentRole?: string | undefined;
  /** A root for this call alone. It lies below the memory's own root, or is that root's longer form. */
  readonly rootScope?: string | undefined;
};

/** How a memory is searched. */
export type RecallOptions = {
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** 1 to 50. @default 10 */
  readonly limit?: number | undefined;
  /** Matches of a lower similarity are left out, 0 to 1; see `MemoryMatch.similarity`. @default the memory's */
  readonly minScore?: number | undefined;
  /** `shallow` is one search and no model. @default "deep" */
  readonly depth?: "shallow" | "deep" | undefined;
  /** Who asks: private records of this source are found too. */
  readonly source?: string | undefined;
  /** Private records of every source are found. @default false */
  readonly includePrivate?: boolean | undefined;
  /** @default the memory's */
  readonly hybrid?: boolean | undefined;
};

/** All that is named must hold. Without any of them nothing is forgotten: that is what `reset` is for. */
export type ForgetFilter = {
  readonly scope?: string | undefined;
  /** Any of them. */
  readonly categories?: readonly string[] | undefined;
  /** Made before. */
  readonly olderThan?: Date | undefined;
  /** All of these fields, equal. */
  readonly metadata?: JsonObject | undefined;
  readonly recordIds?: readonly string[] | undefined;
};

/** The fields of a record that change; the others stay. */
export type RecordChanges = {
  readonly content?: string | undefined;
  /** Below the root. */
  readonly scope?: string | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly importance?: number | undefined;
};

/** Which records are listed, newest first. */
export type ListRecordsOptions = {
  readonly scope?: string | undefined;
  /** 1 to 1000. @default 200 */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
};

/** Where in a run a memory works, and on whose behalf. */
export type MemoryPlace = {
  /** Steps and events of each call lie below it, under `remember`, `recall`, ... in the order of the calls. */
  readonly scope: RunScope;
  /** Where `rememberMany` goes on beside the run. Without it `rememberMany` waits. */
  readonly writes?: MemoryWrites | undefined;
  /** Asks models on behalf of somebody: within their budget, with their hooks. @default the memory's own way */
  readonly model?: MemoryModel | undefined;
  /** @default the memory's own */
  readonly prompts?: Partial<MemoryPrompts> | undefined;
};

/** What agents, tools and flows need of a memory: a whole one, one scope of it, or a slice. */
export interface MemoryView {
  readonly kind: "memory" | "scope" | "slice";
  readonly readOnly: boolean;
  /** The path that it never leaves; undefined where that is everything, or several paths. */
  readonly rootScope: string | undefined;
  /** Where `remember` saves without a scope; undefined where a model chooses one. */
  readonly defaultScope: string | undefined;
  /** The texts of what models are asked. */
  readonly prompts: MemoryPrompts;
  /** Best first. Waits for what is still being saved. */
  recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]>;
  /** Saves one thing. Null when the memory is read-only; where it was made part of a record, that record. */
  remember(content: string, options?: RememberOptions): Promise<MemoryRecord | null>;
  /** Saves several things, beside the run where that is possible; `drainWrites` waits for them. */
  rememberMany(contents: readonly string[], options?: RememberOptions): Promise<readonly []>;
  /** What is worth remembering in a text, as single statements; the whole text where no model can tell. */
  extractMemories(content: string): Promise<readonly string[]>;
  /** Waits for what is being saved. Never throws. */
  drainWrites(): Promise<void>;
  /** Forgets everything in it. Throws `conflict` for a memory that is read-only, and for a slice. */
  clear(): Promise<void>;
  /** The same memory at a place of a run. Without it, calls join the run that they are made in, if any. */
  inRun(place: MemoryPlace): MemoryView;
  /** For one drive of a run. */
  openSession(): MemorySession;
}

/** A memory as agents and flows use it in one drive of a run: saves go on beside the run, and recalls wait for them. */
export interface MemorySession {
  /** The memory at a place of the run, where replay passes again until `drain` (MW1). */
  at(place: RunScope): MemoryView;
  /** What is remembered on something, a match a line; empty when that is nothing. A failure is an event, and the work goes on. */
  recall(place: RunScope, question: RecallQuestion): Promise<string>;
  /** Tools with which the agent in `role` searches the memory and saves to it. */
  tools(caller: ModelCaller, role: string): readonly Tool[];
  /** Saves what is worth it of an answer, beside the run: `place` lies where replay passes again until `drain`. */
  save(place: RunScope, caller: ModelCaller, report: AnswerReport): void;
  /** Waits for what is being saved. Never throws. */
  drain(): Promise<void>;
}

export type RecallQuestion = {
  readonly query: string;
  readonly limit: number;
  /** On whose behalf models are asked. */
  readonly caller: ModelCaller;
  readonly taskName?: string | undefined;
};

/** What an agent did. */
export type AnswerReport = {
  readonly description: string;
  readonly role: string;
  /** Absent where no task was done. */
  readonly expectedOutput?: string;
  readonly output: string;
};
