// What others need of knowledge. Types alone: agents and crews use knowledge without carrying its code.
import type { RunScope } from "../events/run-scope.ts";
import type { ModelCaller } from "../model-calls/model-call.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { KnowledgeSource } from "./knowledge-source.ts";
import type { KnowledgeAnswer, KnowledgeQuery } from "./query-knowledge.ts";

/** A `Knowledge`, as agents and crews hold it. */
export interface KnowledgeView {
  /** The collection that it is in a run; `collection` names it where it has no name of its own. */
  collection(scope: RunScope, collection: string): KnowledgeCollection;
  /** For one drive of the run. */
  openSession(scope: RunScope): KnowledgeSession;
}

/** What agents and crews say of their knowledge. */
export type KnowledgeFields = {
  /** Knowledge of one's own, or names of collections that the deployment keeps. */
  readonly knowledge?: KnowledgeView | string | readonly string[] | undefined;
  /** Documents that the deployment keeps, in a collection of this agent's or crew's alone. */
  readonly knowledgeSources?: readonly KnowledgeSource[] | undefined;
  readonly knowledgeConfig?: KnowledgeConfig | undefined;
  /** Makes texts into vectors: of `knowledgeSources`, and of `memory: true`. @default the deployment's */
  readonly embedder?: EmbedderSpec | undefined;
};

/** How an agent's or crew's knowledge is searched. */
export type KnowledgeConfig = {
  /** Passages added to the prompt at most, of one owner's documents, 1 to 50. @default 5 */
  readonly resultsLimit?: number;
  /** Passages of a lower score are left out, 0 to 1. @default what the embedder says (`SimilarityScale.related`), else 0.6; 0.35 for a crew without `knowledgeConfig` */
  readonly scoreThreshold?: number | undefined;
  /** Has the agent's model say what to search for; false searches for the task as it is. @default true */
  readonly rewrite?: boolean;
};

/** Searches the collections of agents and crews in one drive of a run. */
export interface KnowledgeSession {
  /** The collections of an agent or a crew. Throws `invalid_definition` for what cannot be had. */
  open(owner: KnowledgeOwner): readonly KnowledgeCollection[];
  /** What the collections say on a task: a text for each group that says something. A failure is an event, and the work goes on. */
  search(
    place: RunScope,
    question: KnowledgeQuestion,
    groups: readonly KnowledgeGroup[],
  ): Promise<readonly string[]>;
}

export type KnowledgeOwner = KnowledgeFields & {
  /** What messages call it. */
  readonly label: string;
  /** The collection that is its alone. */
  readonly collection: string;
};

/** Documents that are searched together. */
export interface KnowledgeCollection {
  readonly name: string;
  /** The same for the same collection of the same store. */
  readonly key: unknown;
  /** Indexes its documents, those that have changed. Throws `invalid_input` that names the document that could not be read. */
  index(place: RunScope): Promise<void>;
  query(
    query: Omit<KnowledgeQuery, "collection" | "embedder">,
    signal: AbortSignal,
  ): Promise<KnowledgeAnswer>;
  /** Removes all that is in it. */
  reset(): Promise<void>;
}

/** Collections that are searched together. */
export type KnowledgeGroup = {
  readonly collections: readonly KnowledgeCollection[];
  readonly limit: number;
  /** @default what the embedder says, but at most `usualThreshold` */
  readonly scoreThreshold?: number | undefined;
  readonly usualThreshold: number;
};

export type KnowledgeQuestion = {
  /** On whose behalf the model is asked what to search for. */
  readonly caller: ModelCaller;
  /** The whole prompt of the task so far. */
  readonly prompt: string;
  /** Asks the model what to search for; `{task_prompt}` stands for the prompt. Absent: the prompt itself is searched for. */
  readonly rewrite?: { readonly system: string; readonly user: string } | undefined;
};
