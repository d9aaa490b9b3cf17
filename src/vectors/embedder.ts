/** Turns texts into vectors. Texts with similar meanings get nearby vectors. */
export interface Embedder {
  /** Name in messages, such as `openai/text-embedding-3-small`. */
  readonly id: string;
  /** Name a collection records. Vectors with the same name can be compared, others cannot. */
  readonly model: string;
  /** Dimension of the vectors, if known before the first call from the model or the settings. */
  readonly dimension?: number;
  /** Maximum number of texts in one call of `embed`. */
  readonly maxBatch: number;
  /** Meaning of its similarities. These are the defaults of unset thresholds. */
  readonly similarity?: SimilarityScale;
  /**
   * Compares texts with a question, 0 to 1, more exactly than their vectors do. A recall calls it for the nearest
   * texts. @default the cosine of the vectors
   */
  readonly compare?: (question: string, texts: readonly string[]) => readonly number[];
  /** Returns one vector for each text, in their order, all of one dimension. The texts are not blank. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}

/** Cosines, 0 to 1. */
export type SimilarityScale = {
  /** Similarity below which a text is unrelated to a question. Recalls leave it out. @default 0 */
  readonly unrelated?: number;
  /**
   * Similarity from which a passage is about a question; the threshold of knowledge. @default 0.6, and 0.35 for the
   * knowledge of a crew
   */
  readonly related?: number;
  /** Similarity from which two texts may be equivalent. A memory has a model compare them. @default 0.85 */
  readonly alike?: number;
};

/** Options of one call of an embedder. */
export type EmbedOptions = {
  readonly signal: AbortSignal;
  /** Purpose of the texts. Some models embed questions differently from documents. @default "document" */
  readonly purpose?: "document" | "query";
};
