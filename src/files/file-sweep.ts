/** What time does to the files of all tenants. */
export interface FileSweepIndex {
  /**
   * Deletes files that have expired, and those of runs that never came to be; at most so many. One that a run under way was
   * started with is looked at again later.
   */
  expire(nowMs: number, limit: number): Promise<void>;
  /** Tenants that have something in the file store to be removed. */
  tenants(nowMs: number, limit: number): Promise<readonly string[]>;
}
