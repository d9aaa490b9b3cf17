/** What the host of an app knows about itself. Nothing in it is a secret. */
export type WorkerFacts = {
  /** The deployed code, as far as the platform says. */
  readonly code: { readonly id?: string; readonly tag?: string; readonly at?: string };
  readonly objectSchema: ObjectSchema;
  readonly limits: Readonly<Record<string, number>>;
  /** Whether there are models that need no key of a provider. */
  readonly hasModels: boolean;
  /** The D1 migrations that were applied; undefined where the database does not say. */
  readonly migrations: () => Promise<readonly string[] | undefined>;
  /** When the cron last came, in milliseconds since the epoch; undefined where it never did. */
  readonly sweptAtMs: () => Promise<number | undefined>;
};

/** Layouts of the storage of runs, by number: those that the code opens, and the one that it leaves behind. */
export type ObjectSchema = { readonly reads: readonly number[]; readonly writes: number };

/** Something that a deployment lacks, and how to get it. */
export type Lack = {
  /** Stable. */
  readonly code: string;
  readonly message: string;
  readonly fix: string;
};
