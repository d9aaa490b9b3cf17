/** Facts of an app's host about itself. They contain no secret. */
export type WorkerFacts = {
  /** Deployed code, as far as the platform reports it. */
  readonly code: { readonly id?: string; readonly tag?: string; readonly at?: string };
  readonly objectSchema: ObjectSchema;
  readonly limits: Readonly<Record<string, number>>;
  /** True if models without a provider key are available. */
  readonly hasModels: boolean;
  /** Applied D1 migrations; undefined if the database does not report them. */
  readonly migrations: () => Promise<readonly string[] | undefined>;
  /** Time of the last cron call, in milliseconds since the epoch; undefined before the first. */
  readonly sweptAtMs: () => Promise<number | undefined>;
};

/** Storage layouts of runs, by number: readable ones, and the written one. */
export type ObjectSchema = { readonly reads: readonly number[]; readonly writes: number };

/** Something missing in a deployment, with instructions. */
export type Lack = {
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly fix: string;
};
