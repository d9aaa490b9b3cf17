// Port of deployments to a cloud account. All access to accounts goes through it; its implementation is in
// src/cli/cloud.

export const JURISDICTIONS = ["eu", "us", "fedramp"] as const;
export const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"] as const;

/** Location of a new resource. It cannot change later. */
export type Place = { readonly location?: string; readonly jurisdiction?: string };

export type Account = {
  readonly accounts: ReadonlyArray<{ readonly id: string; readonly name: string }>;
  /** Undefined if the account does not report it, as for API tokens. */
  readonly permissions: readonly string[] | undefined;
};

export type VectorIndexInfo = {
  readonly name: string;
  readonly dimensions: number;
  readonly metric: string;
};

/** Contents of a database before its migration. */
export type DatabaseState = {
  readonly tables: readonly string[];
  readonly applied: readonly string[];
};

export type DeployOptions = {
  readonly secretsFile?: string | undefined;
  readonly message?: string | undefined;
  readonly tag?: string | undefined;
};

export type Deployed = {
  readonly versionId: string;
  /** Addresses; the first is the one to show. */
  readonly targets: readonly string[];
};

/** A finished bundle, not sent yet. */
export type Bundle = { readonly gzipBytes: number | undefined };

export type Version = {
  readonly id: string;
  readonly createdAt: string;
  readonly tag: string | undefined;
  readonly message: string | undefined;
  /** True if only secrets differ from the version before. */
  readonly changesSecrets: boolean;
};

/** A version and how many requests in a hundred it answers. */
export type Share = { readonly version: string; readonly percentage: number };

export type CloudDeployment = {
  readonly id: string;
  readonly createdAt: string;
  readonly shares: readonly Share[];
};

/** One account, one project, one environment. Every method may throw a `CloudFault`. */
export interface Cloud {
  /** Returns the command for a call, to show to people. It contains no secrets. */
  describe(words: readonly string[]): string;
  /** Undefined without a login. */
  whoami(): Promise<Account | undefined>;
  bundle(): Promise<Bundle>;

  databases(): Promise<readonly string[]>;
  createDatabase(name: string, place: Place): Promise<void>;
  databaseState(binding: string, migrationsTable: string): Promise<DatabaseState>;
  migrate(binding: string): Promise<void>;
  /** Returns the names of migrations applied after a time. */
  migratedSince(binding: string, migrationsTable: string, at: string): Promise<readonly string[]>;
  /** Returns the bookmark of a database's state at a time, or now. */
  bookmark(binding: string, at?: string): Promise<string>;
  /** Overwrites a database with its own state at a bookmark. Returns the bookmark that undoes it. */
  restoreDatabase(binding: string, bookmark: string): Promise<string>;
  removeDatabase(name: string): Promise<void>;

  hasQueue(name: string): Promise<boolean>;
  createQueue(name: string, place: Place): Promise<void>;
  removeQueue(name: string): Promise<void>;

  indexes(): Promise<readonly VectorIndexInfo[]>;
  createIndex(index: VectorIndexInfo): Promise<void>;
  metadataIndexes(index: string): Promise<readonly string[]>;
  createMetadataIndex(index: string, property: string): Promise<void>;
  removeIndex(name: string): Promise<void>;

  /** Undefined if the bucket does not exist. */
  bucket(name: string, place: Place): Promise<{ readonly objects: string } | undefined>;
  createBucket(name: string, place: Place): Promise<void>;
  removeBucket(name: string): Promise<void>;

  /** True if a host is in a zone of the account, or if the account does not tell. */
  hasZone(host: string): Promise<boolean>;

  /** Returns names of secrets. Undefined if the Worker does not exist yet. */
  secrets(): Promise<readonly string[] | undefined>;
  /** Sets the secrets in a JSON file; null removes one. */
  putSecrets(file: string): Promise<void>;

  deploy(options: DeployOptions & { readonly drain?: string | undefined }): Promise<Deployed>;
  upload(options: DeployOptions & { readonly alias?: string | undefined }): Promise<{
    readonly versionId: string;
    readonly previewUrl: string | undefined;
  }>;
  /** Deploys shares in this order: each object keeps its version only as long as the order stays. */
  route(shares: readonly Share[], message?: string): Promise<void>;
  /** Newest first. Empty if the Worker does not exist. */
  versions(): Promise<readonly Version[]>;
  /** Newest first. Empty if the Worker does not exist. */
  deployments(): Promise<readonly CloudDeployment[]>;
  rollback(version: string, message: string): Promise<void>;
  /** Removes the Worker and its objects. */
  remove(): Promise<void>;
  /** Follows log entries until the signal. */
  tail(onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
}

export type FaultKind = "not_logged_in" | "not_allowed" | "several_accounts" | "missing" | "failed";

/** Failure of the account, or of the tool that calls it. */
export class CloudFault extends Error {
  readonly kind: FaultKind;
  /** The failed command, without secrets. */
  readonly command: string;
  /** All output of the command. */
  readonly output: string;

  constructor(
    kind: FaultKind,
    message: string,
    { command, output = message }: { readonly command: string; readonly output?: string },
  ) {
    super(message, { cause: new Error(output) });
    this.kind = kind;
    this.command = command;
    this.output = output;
  }
}
