// How agents use knowledge, as far as those know it that carry none themselves: it comes along with the knowledge.
import type { RunScope } from "../events/run-scope.ts";
import type { KnowledgeSource } from "../knowledge/knowledge-source.ts";
import type { KnowledgeAnswer, KnowledgeQuery } from "../knowledge/query-knowledge.ts";
import type { EmbedderSpec } from "../vectors/embedders/resolve-embedder.ts";
import type { SourcesKit } from "./agent-sources.ts";
import type { ModelCaller } from "../model-calls/model-call.ts";
import type { Prompts } from "./prompts.ts";

export type KnowledgeConfig = {
  /** Pieces of one collection's documents that are told at most, 1 to 50. @default 5 */
  readonly resultsLimit?: number;
  /** What is less near is not told, 0 to 1. @default 0.6 */
  readonly scoreThreshold?: number;
  /** Has the agent's model say what to search for; false searches for the task as it is. @default true */
  readonly rewrite?: boolean;
};

/** A `Knowledge`, as those see it who carry none. */
export interface KnowledgeValue {
  readonly kit: KnowledgeKit;
  /** The collection that it is in a run, for an owner whose own is `collection`. */
  shelf(scope: RunScope, collection: string): KnowledgeShelf;
}

/** What agents and crews say of their knowledge. */
export type KnowledgeGiven = {
  /** Knowledge of one's own, or names of collections that the deployment keeps. */
  readonly knowledge?: KnowledgeValue | string | readonly string[] | undefined;
  /** Documents that the deployment keeps, in a collection of this agent's or crew's alone. */
  readonly knowledgeSources?: readonly KnowledgeSource[] | undefined;
  readonly knowledgeConfig?: KnowledgeConfig | undefined;
  /** Makes texts into vectors: of `knowledgeSources`, and of `memory: true`. @default the deployment's */
  readonly embedder?: EmbedderSpec | undefined;
};

export type KnowledgeOwner = {
  /** What messages call it. */
  readonly label: string;
  /** The collection that is its alone. */
  readonly collection: string;
  readonly given: KnowledgeGiven;
  /** Where it says none of its own. */
  readonly embedder?: EmbedderSpec | undefined;
};

/** One collection. */
export interface KnowledgeShelf {
  /** The same for the same collection of the same store. */
  readonly key: unknown;
  readonly collection: string;
  /** Makes its documents findable, those that have changed. Throws `invalid_input` that names the document that could not be read. */
  index(place: RunScope): Promise<void>;
  query(
    query: Omit<KnowledgeQuery, "collection" | "embedder">,
    signal: AbortSignal,
  ): Promise<KnowledgeAnswer>;
  /** Removes all that is in it. */
  reset(): Promise<void>;
}

/** Collections that are searched together. */
export type KnowledgeShelves = {
  readonly shelves: readonly KnowledgeShelf[];
  readonly limit: number;
  readonly scoreThreshold: number;
};

export type KnowledgeQuestion = {
  readonly caller: ModelCaller;
  readonly prompts: Prompts;
  /** The whole prompt of the task so far. */
  readonly prompt: string;
  readonly rewrite: boolean;
};

/** The `kit` of knowledge, and of `services.knowledge`. */
export type KnowledgeKit = {
  readonly sources: SourcesKit;
  /** Throws `invalid_definition` for what cannot be. */
  open(scope: RunScope, owner: KnowledgeOwner): readonly KnowledgeShelf[];
  /** What the shelves say on a task: a block for the prompt for each that says something. Failures are told, and harm nothing. */
  search(
    place: RunScope,
    question: KnowledgeQuestion,
    among: readonly KnowledgeShelves[],
  ): Promise<readonly string[]>;
};
