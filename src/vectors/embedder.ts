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
  /** One vector per text, in their order, all of one dimension. The texts are not blank. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}

/** What one call of an embedder takes besides the texts. */
export type EmbedOptions = {
  readonly signal: AbortSignal;
  /** Some models embed questions differently from documents. @default "document" */
  readonly purpose?: "document" | "query";
};
