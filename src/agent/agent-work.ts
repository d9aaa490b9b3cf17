import type { JsonObject } from "../base/json.ts";
import type { ContentPart, Message } from "../llm/language-model.ts";
import type { Tool, ToolSecurity } from "../tools/tool.ts";
import type { ToolMemory } from "../tools/tool-memory.ts";
import type { ToolCache } from "../tools/tool-cache.ts";
import type { ToolFailureLog, ToolFailurePolicy } from "../tools/tool-failure.ts";
import type { ModelSpec } from "../llm/resolve-model.ts";
import type { AgentDescription } from "./description/agent-description.ts";
import type { RunScope } from "../events/run-scope.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import type { CallerRequest } from "./loop/caller-request.ts";
import type { AnswerReview } from "./loop/answer-review.ts";
import type { Prompts } from "./prompts/prompts.ts";
import type { SkillSource } from "./skills/read-skill.ts";
import type { StepCallback } from "./loop/step-callback.ts";
import type { WorkCounters } from "./work-counters.ts";
import type { WorkNotes } from "./work-notes.ts";
import type { Streaming } from "../model-calls/caller-stream.ts";

/** Texts of an agent in one run, with the run's inputs filled in. */
export type AgentIdentity = {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
};

/** One piece of work for an agent, with everything it needs. */
export type AgentWork = ModelCaller & {
  readonly agent: AgentDescription;
  readonly identity: AgentIdentity;
  readonly prompts: Prompts;
  /** The user's side of the prompt. */
  readonly prompt: string;
  /** Images and files of the user for the prompt. */
  readonly attachments?: readonly ContentPart[] | undefined;
  /** Earlier messages, oldest first. */
  readonly history?: readonly Message[];
  readonly taskName?: string | undefined;
  readonly expectedOutput?: string | undefined;
  readonly tools: readonly Tool[];
  /** JSON Schema of the answer, if there is one. */
  readonly answerSchema?: JsonObject | undefined;
  /** The task's, else the agent's, else the crew's. @default "warn" */
  readonly toolFailurePolicy?: ToolFailurePolicy | undefined;
  /** Records failures of tools. */
  readonly failures?: ToolFailureLog | undefined;
  /** The caller, as tools receive it. */
  readonly security?: ToolSecurity | undefined;
  readonly cache?: ToolCache | undefined;
  readonly stream: Streaming;
  readonly stepCallback?: StepCallback | undefined;
  /** Uses of tools so far, where several pieces of work count as one. */
  readonly toolUses?: Map<Tool, number>;
  readonly review?: AnswerReview | undefined;
  /**
   * Messages to the run for this work. `steer`: those for every active agent. `turn`: also queued ones, which begin a
   * further turn after the answer. `task`: also queued ones sent before the work began. @default "steer"
   */
  readonly mail?: "steer" | "turn" | "task" | "none" | undefined;
  /** Model for the conversion of answers into data. @default the agent's `functionCallingLlm`, else its model */
  readonly conversionLlm?: ModelSpec | undefined;
  readonly counters?: WorkCounters;
  /** Answer settings from the caller of the run. */
  readonly caller?: CallerRequest | undefined;
  /** Skills of the crew, in addition to the agent's own. */
  readonly crewSkills?: readonly SkillSource[] | undefined;
  /** Texts about the agent's skills, for the system message. */
  readonly skillTexts?: readonly string[];
  /** Conversation to continue, last message included. Replaces `prompt` and `history`. */
  readonly goesOn?: readonly Message[] | undefined;
  /** Does the work together with agents elsewhere. */
  readonly around?: WorkAround | undefined;
  /** Memory of the agent for its tools. @default none */
  readonly toolMemory?: ToolMemory | undefined;
  /** Receives notes on the work, if the caller sets it. */
  readonly notes?: WorkNotes;
};

/** Does a piece of work at a place and returns its text. */
export type Performer = (place: RunScope, work: AgentWork) => Promise<string>;

/** Has a piece of work done in another way than by the agent's model alone. `perform` is the usual way. */
export type WorkAround = (scope: RunScope, work: AgentWork, perform: Performer) => Promise<string>;

/** Returns a copy of the work with changes. Its deadline stays linked to the original's, which may still move. */
export function changedWork(
  work: AgentWork,
  changes: Partial<Omit<AgentWork, "deadlineAtMs">>,
): AgentWork {
  return {
    ...work,
    ...changes,
    get deadlineAtMs() {
      return work.deadlineAtMs;
    },
  };
}
