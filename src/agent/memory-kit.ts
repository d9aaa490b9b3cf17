// How agents use memories, as far as those know it that carry no memory themselves: it comes along with the memory.
import type { RunScope } from "../events/run-scope.ts";
import type { MemorySettingsGiven } from "../memory/memory-service.ts";
import type { MemoryMatch, MemoryRecord } from "../memory/memory-record.ts";
import type { MemoryView, RecallOptions, RememberOptions } from "../memory/memory-view.ts";
import type { Tool } from "../tools/tool.ts";
import type { SourcesKit } from "./agent-sources.ts";
import type { memoryLessons } from "./memory-lessons.ts";
import type { ModelCaller } from "./model-call.ts";
import type { Prompts } from "./prompts.ts";

/** What crews, agents and flows take as `memory`. */
export type MemoryGiven = boolean | MemoryView | MemoryConfig;

/** Settings of a memory that the deployment makes and keeps. */
export type MemoryConfig = MemorySettingsGiven;

/** The `kit` of a memory. */
export type MemoryKit = {
  readonly sources: SourcesKit;
  /** A memory as the agents of one drive of a run share it. */
  open(view: MemoryView): AgentMemory;
  /** A flow's memory, as one of its methods uses it. Throws `invalid_definition` where it cannot be had. */
  inFlow(place: RunScope, flow: RememberingFlow): FlowMemory;
  /** Where lessons of people's feedback are kept in it. */
  lessons(place: RunScope, flow: RememberingFlow): ReturnType<typeof memoryLessons>;
  /** Forgets everything: a whole memory, or what lies at the root of a part. Throws `conflict` for what cannot be forgotten. */
  reset(view: MemoryView): Promise<void>;
};

export interface AgentMemory {
  /** What is remembered on something, as a block for a prompt; empty when that is nothing. Failures are told, and harm nothing. */
  recall(place: RunScope, question: RecallQuestion): Promise<string>;
  /** What an agent looks into the memory and saves to it with. */
  tools(caller: ModelCaller, role: string): readonly Tool[];
  /** Saves what is worth it of an answer, beside the run: `place` lies where replay passes again until `drain`. */
  save(place: RunScope, caller: ModelCaller, report: AnswerReport): void;
  /** Waits for what is being saved. */
  drain(): Promise<void>;
}

export type RecallQuestion = {
  readonly query: string;
  readonly limit: number;
  readonly caller: ModelCaller;
  readonly prompts: Prompts;
  readonly taskName?: string | undefined;
};

/** What is known of a flow that remembers. */
export type RememberingFlow = {
  readonly name: string;
  readonly memory: Exclude<MemoryGiven, false>;
};

/** What methods of flows remember. */
export interface FlowMemory {
  /** One thing gives its record, or null where the memory is only read; a list is saved beside the method, before it ends. */
  remember(content: string, options?: RememberOptions): Promise<MemoryRecord | null>;
  remember(contents: readonly string[], options?: RememberOptions): Promise<readonly []>;
  recall(query: string, options?: RecallOptions): Promise<readonly MemoryMatch[]>;
  /** Single statements that a text holds. */
  extractMemories(content: string): Promise<readonly string[]>;
  drain(): Promise<void>;
}

/** What an agent did. */
export type AnswerReport = {
  readonly description: string;
  readonly role: string;
  /** Absent where no task was done. */
  readonly expectedOutput?: string;
  readonly output: string;
};
