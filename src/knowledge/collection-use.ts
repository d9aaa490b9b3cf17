/** State of a collection made on demand. */
export type CollectionUse = {
  /** Its content: the collection itself, or one of the sources in a shared collection. */
  readonly id: string;
  readonly collection: string;
  /** The embedder's. */
  readonly model: string;
  /** Version of its documents at the last check, if known without reading them. */
  readonly version?: string;
  /** When its documents were found to be in it; 0 while they never were. */
  readonly checkedAtMs: number;
  readonly usedAtMs: number;
  /** True if it is removed after a time without use. */
  readonly isTemporary: boolean;
};

/** The uses of one tenant's collections. They go with their collection. */
export interface CollectionUses {
  get(id: string): Promise<CollectionUse | undefined>;
  /** Replaces the existing entry. */
  put(use: CollectionUse): Promise<void>;
  /** Returns temporary ones last used before the time, the longest unused first. */
  unused(beforeMs: number, limit: number): Promise<readonly CollectionUse[]>;
}
