/** What is known of a collection that is made when it is first asked for. */
export type CollectionUse = {
  /** What was put into it: the collection itself, or one of the sources of a collection that several share. */
  readonly id: string;
  readonly collection: string;
  /** The embedder's. */
  readonly model: string;
  /** What its documents were when they were looked at, where that can be said without reading them. */
  readonly version?: string;
  /** When its documents were found to be in it; 0 while they never were. */
  readonly checkedAtMs: number;
  readonly usedAtMs: number;
  /** Whether it goes once it has not been used for a while. */
  readonly isTemporary: boolean;
};

/** The uses of one tenant's collections. They go with their collection. */
export interface CollectionUses {
  get(id: string): Promise<CollectionUse | undefined>;
  /** Replaces what is there. */
  put(use: CollectionUse): Promise<void>;
  /** Temporary ones that were last used before then, the longest unused first. */
  unused(beforeMs: number, limit: number): Promise<readonly CollectionUse[]>;
}
