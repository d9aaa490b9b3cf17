import type { Embedder } from "../vectors/embedder.ts";
import type { KnowledgeChunk } from "./knowledge-store.ts";
import type { Place } from "./place.ts";

export type KnowledgeQuery = {
  readonly collection: string;
  /** Several phrasings of one question. */
  readonly queries: readonly string[];
  /** Maximum number of snippets, 1 to 50. @default 5 */
  readonly limit?: number;
  /** Minimum similarity, 0 to 1. @default the embedder's, but at most `usualThreshold` */
  readonly scoreThreshold?: number | undefined;
  /** Default for unknown embedders. @default 0.6 */
  readonly usualThreshold?: number;
  /** Includes the search by words. @default true */
  readonly hybrid?: boolean;
  readonly embedder?: Embedder;
};

/** A piece of a document. */
export type Snippet = Pick<KnowledgeChunk, "id" | "text" | "start" | "end"> &
  Place & {
    readonly document: { readonly id: string; readonly name: string };
    /** Similarity, 0 to 1; null for a match by words only. */
    readonly score: number | null;
    readonly matched: ReadonlyArray<"meaning" | "words">;
  };

export type KnowledgeAnswer = {
  readonly snippets: readonly Snippet[];
  /** Reason for a search by words only (KQ2). */
  readonly degraded?: string;
};
