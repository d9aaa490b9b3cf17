/** A finished run in the index. Times in milliseconds since the epoch. */
export type FinishedRun = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly createdAtMs: number;
  /** End of the run. */
  readonly updatedAtMs: number;
};

/** The finished runs of all tenants. */
export interface FinishedRuns {
  tenants(): Promise<readonly string[]>;
  /** Lists runs without a parent, or with a deleted parent, oldest first. */
  oldest(query: {
    readonly tenant: string;
    readonly createdBeforeMs: number;
    /** Last run of the previous page. */
    readonly after?: FinishedRun | undefined;
    readonly limit: number;
  }): Promise<readonly FinishedRun[]>;
  /**
   * Returns the start time of the oldest among the tenant's newest `count` finished runs; undefined if there are fewer.
   */
  newestSince(tenant: string, count: number): Promise<number | undefined>;
  childrenOf(tenant: string, id: string, limit: number): Promise<readonly string[]>;
}
