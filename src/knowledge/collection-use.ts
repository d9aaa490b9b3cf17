/** State of a collection made on demand. */
export type CollectionUse = {
  /** Its content: the collection itself, or one of the sources in a shared collection. */
  readonly id: string;
  readonly collection: string;
  /** Model of the embedder. */
  readonly model: string;
  /** Version of its documents at the last check, if known without reading them. */
  readonly version?: string;
  /** Time of the last check of its documents; 0 before the first one. */
  readonly checkedAtMs: number;
  readonly usedAtMs: number;
  /** True if it is removed after a time without use. */
  readonly isTemporary: boolean;
};

/** Uses of one tenant's collections. They are deleted with their collection. */
export interface CollectionUses {
  get(id: string): Promise<CollectionUse | undefined>;
  /** Replaces the existing entry. */
  put(use: CollectionUse): Promise<void>;
  /** Returns temporary ones last used before the time, the longest unused first. */
  unused(beforeMs: number, limit: number): Promise<readonly CollectionUse[]>;
}
