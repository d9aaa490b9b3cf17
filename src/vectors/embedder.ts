/** Makes texts into vectors that lie near one another when the texts mean alike. */
export interface Embedder {
  /** What messages call it, such as `openai/text-embedding-3-small`. */
  readonly id: string;
  /** What a collection remembers it by: vectors of one name can be compared, those of two cannot. */
  readonly model: string;
  /** Known before the first call where the model or the settings say so. */
  readonly dimension?: number;
  /** How many texts one call of `embed` may have. */
  readonly maxBatch: number;
  /** What its similarities mean. Thresholds that nobody sets are these. */
  readonly similarity?: SimilarityScale;
  /**
   * How near texts are to a question, 0 to 1, where that can be said more exactly than by their vectors: a recall asks it about the
   * nearest ones. @default the cosine of the vectors
   */
  readonly compare?: (question: string, texts: readonly string[]) => readonly number[];
  /** One vector per text, in their order, all of one dimension. The texts are not blank. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}

/** Cosines, 0 to 1. */
export type SimilarityScale = {
  /** Below it a text has nothing to do with a question: recalls leave it out. @default 0 */
  readonly unrelated?: number;
  /** From it on a passage is about a question: what knowledge answers. @default 0.6, and 0.35 for the knowledge of a crew */
  readonly related?: number;
  /** From it on two texts may say the same: a memory has a model compare them. @default 0.85 */
  readonly alike?: number;
};

/** What one call of an embedder takes besides the texts. */
export type EmbedOptions = {
  readonly signal: AbortSignal;
  /** Some models embed questions differently from documents. @default "document" */
  readonly purpose?: "document" | "query";
};
