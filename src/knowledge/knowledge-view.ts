// Interfaces of knowledge for other modules. Types only: agents and crews use knowledge without its code.
import type { RunScope } from "../events/run-scope.ts";
import type { ModelCaller } from "../model-calls/model-caller.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { KnowledgeAnswer, KnowledgeQuery } from "./knowledge-query.ts";
import type { KnowledgeSource } from "./knowledge-source.ts";

/** A `Knowledge`, as agents and crews refer to it. */
export interface KnowledgeView {
  /** Returns its collection in a run; `collection` is the default name. */
  collection(scope: RunScope, collection: string): KnowledgeCollection;
  /** Opens a session for one drive of the run. */
  openSession(scope: RunScope): KnowledgeSession;
}

/** Knowledge fields of agents and crews. */
export type KnowledgeFields = {
  /** Knowledge objects, or names of the deployment's collections. */
  readonly knowledge?: KnowledgeView | string | readonly string[] | undefined;
  /** Documents stored by the deployment, in a collection of only this agent or crew. */
  readonly knowledgeSources?: readonly KnowledgeSource[] | undefined;
  readonly knowledgeConfig?: KnowledgeConfig | undefined;
  /** Embedder of `knowledgeSources`, and of `memory: true`. @default the deployment's */
  readonly embedder?: EmbedderSpec | undefined;
};

/** Search settings for an agent's or crew's knowledge. */
export type KnowledgeConfig = {
  /** Maximum number of passages in the prompt from one owner's documents, 1 to 50. @default 5 */
  readonly resultsLimit?: number;
  /**
   * Minimum score of a passage, 0 to 1. @default the embedder's (`SimilarityScale.related`), else 0.6; 0.35 for a crew
   * without `knowledgeConfig`
   */
  readonly scoreThreshold?: number | undefined;
  /** Lets the agent's model write the search query; false uses the task unchanged. @default true */
  readonly rewrite?: boolean;
};

/** Searches the collections of agents and crews in one drive of a run. */
export interface KnowledgeSession {
  /** Opens the collections of an agent or a crew. Throws `invalid_definition` for unavailable ones. */
  open(owner: KnowledgeOwner): readonly KnowledgeCollection[];
  /**
   * Searches the collections for a task. Returns a text for each group with results. A failure is an event, and the
   * work continues.
   */
  search(
    place: RunScope,
    question: KnowledgeQuestion,
    groups: readonly KnowledgeGroup[],
  ): Promise<readonly string[]>;
}

export type KnowledgeOwner = KnowledgeFields & {
  /** Name in messages. */
  readonly label: string;
  /** Name of its own collection. */
  readonly collection: string;
};

/** Documents searched together. */
export interface KnowledgeCollection {
  readonly name: string;
  /** Equal for the same collection of the same store. */
  readonly key: unknown;
  /** Indexes its changed documents. Throws `invalid_input`, naming the unreadable document. */
  index(place: RunScope): Promise<void>;
  query(
    query: Omit<KnowledgeQuery, "collection" | "embedder">,
    signal: AbortSignal,
  ): Promise<KnowledgeAnswer>;
  /** Removes all its content. */
  reset(): Promise<void>;
}

/** Collections searched together. */
export type KnowledgeGroup = {
  readonly collections: readonly KnowledgeCollection[];
  readonly limit: number;
  /** @default the embedder's, but at most `usualThreshold` */
  readonly scoreThreshold?: number | undefined;
  readonly usualThreshold: number;
};

export type KnowledgeQuestion = {
  /** Caller whose model writes the search query. */
  readonly caller: ModelCaller;
  /** The whole prompt of the task so far. */
  readonly prompt: string;
  /**
   * Prompt for the search query; `{task_prompt}` stands for the task's prompt. Absent: the task's prompt itself is the
   * query.
   */
  readonly rewrite?: { readonly system: string; readonly user: string } | undefined;
};
