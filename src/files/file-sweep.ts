/** Scheduled clean-up of all tenants' files. */
export interface FileSweepIndex {
  /**
   * Deletes at most `limit` expired files and files of runs that never started. Checks a file again later if an active
   * run started with it.
   */
  expire(nowMs: number, limit: number): Promise<void>;
  /** Returns tenants with removable bytes in the file store. */
  tenants(nowMs: number, limit: number): Promise<readonly string[]>;
}
