// What of a tenant's tables is in a backup.
//
//   BUT1. Every table of the database is here: with the columns that are kept, or with the reason why it is not in a backup.
//   BUT2. A kept table lists all of its columns: those of a backup, those that the database makes by itself, and those that restoring sets.

/** A table whose rows are in backups. The tenant is no column here: a row belongs to the tenant that it is restored for. */
export type BackupTable = {
  /** What tells rows of a tenant apart. */
  readonly key: readonly string[];
  /** The other columns. Those that change without anybody's doing are not compared with a row that is there already. */
  readonly columns: readonly string[];
  readonly changing?: readonly string[];
  /** Numbers the rows in the order in which they came. Not kept: restored rows get new numbers, in the same order. */
  readonly number?: string;
  /** Columns that restored rows get from the database. `?1` is the tenant. */
  readonly set?: Readonly<Record<string, string>>;
  /** A statement before rows are restored. `?1` is the tenant. */
  readonly before?: string;
  /** Rows are of one history by these: an old one is not put after a newer one that is there. */
  readonly history?: readonly string[];
};

/** In the order in which they are restored. */
export const BACKUP_TABLES: Readonly<Record<string, BackupTable>> = {
  definitions: {
    key: ["kind", "name"],
    columns: ["definition", "created_at", "updated_at"],
    changing: ["created_at", "updated_at"],
  },
  definition_versions: {
    key: ["kind", "name", "version"],
    columns: [
      "source",
      "media_type",
      "definition",
      "hash",
      "by_name",
      "note",
      "bytes",
      "created_at",
    ],
  },
  schedules: {
    key: ["id"],
    columns: [
      "source",
      "definition",
      "paused",
      "next_at",
      "due_at",
      "last_run",
      "version",
      "created_at",
      "updated_at",
    ],
    changing: ["next_at", "due_at", "last_run", "version", "created_at", "updated_at"],
  },
  hooks: {
    key: ["name"],
    columns: [
      "definition",
      "secret",
      "previous_secret",
      "previous_until",
      "created_at",
      "updated_at",
    ],
    changing: ["created_at", "updated_at"],
  },
  trainings: { key: ["name"], columns: ["agents", "updated_at"], changing: ["updated_at"] },
  evaluations: {
    key: ["run_id", "crew"],
    columns: ["eval_model", "report", "created_at"],
  },
  memories: {
    key: ["id"],
    columns: [
      "scope",
      "content",
      "categories",
      "metadata",
      "importance",
      "source",
      "private",
      "created_at",
      "last_accessed",
    ],
    changing: ["last_accessed"],
    number: "row",
    // A place of their own in the order of writes; their vectors are made by `POST /memory/reindex`.
    set: { version: "(SELECT seq FROM memory_state WHERE tenant = ?1)", indexed: "0" },
    before:
      "INSERT INTO memory_state (tenant, seq) VALUES (?1, 1) ON CONFLICT (tenant) DO UPDATE SET seq = seq + 1",
  },
  // Chunks before their documents: a document that is there counts as complete.
  knowledge_chunks: {
    key: ["collection", "id"],
    columns: ["document", "ordinal", "content", "start_at", "end_at", "place"],
    number: "number",
  },
  knowledge_documents: {
    key: ["collection", "id"],
    columns: [
      "name",
      "reader",
      "state",
      "hash",
      "recipe",
      "characters",
      "chunks",
      "indexed",
      "error",
      "run_id",
      "created_at",
      "updated_at",
    ],
    changing: ["indexed", "error", "run_id", "created_at", "updated_at"],
  },
  knowledge_uses: {
    key: ["id"],
    columns: ["collection", "model", "version", "is_temporary", "checked_at", "used_at"],
    changing: ["checked_at", "used_at"],
  },
  flow_states: {
    key: ["run_id", "key"],
    columns: ["flow", "flow_id", "method", "state", "bytes", "created_at"],
    number: "seq",
    history: ["flow", "flow_id"],
  },
  thread_runs: {
    key: ["run_id"],
    columns: ["protocol", "thread_id", "kind", "name", "created_at", "answered", "data"],
    changing: ["answered"],
  },
  thread_messages: {
    key: ["run_id", "message_id"],
    columns: ["protocol", "thread_id", "role", "content", "data", "created_at"],
    number: "place",
    history: ["protocol", "thread_id"],
  },
};

/** Tables that are in no backup, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  runs: "An index: restored runs write their rows themselves.",
  waits: "An index, as `runs`.",
  run_tags: "As `runs`.",
  run_tombstones: "Which runs of this deployment were deleted, for a day.",
  run_hours: "Sums: restored runs are counted again; those of deleted runs are lost.",
  usage_days: "As `run_hours`.",
  tenants: "Set by the operator of a deployment: `PUT /tenants/{tenant}`.",
  alerts: "Alerts that are to be sent.",
  placements: "Where the objects of a deployment are.",
  sweeper: "When the cron of a deployment came.",
  api_keys: "Keys are credentials of one deployment; make new ones with `edgecrew keys create`.",
  mcp_tokens: "Credentials: sign in again.",
  sessions: "Credentials of browsers: sign in again.",
  revoked_tokens: "Tokens live at most a day.",
  hook_deliveries: "What became of past deliveries; nothing depends on it.",
  schedule_firings: "What became of past slots; nothing depends on it.",
  memory_text: "Made from `memories` by the database.",
  memory_stale: "Work that is left to do on the vectors of this deployment.",
  memory_state: "The order of writes of this deployment.",
  memory_writes: "Names of writes of this deployment, so that none is made twice.",
  knowledge_words: "Made from `knowledge_chunks` when they are restored.",
  vector_collections: "Vectors are made again.",
  vector_rows: "Vectors are made again.",
  vector_mutations: "Vectors are made again.",
  vector_ticks: "Vectors are made again.",
  vector_garbage: "Vectors are made again.",
  caller_counts: "Counts of a few minutes.",
  acp_tasks: "Tasks under way of this deployment; what they did is in their runs.",
  acp_sessions: "Sessions of tasks under way.",
  acp_contexts: "Hints for the next task, which expire.",
  acp_remotes: "Agents elsewhere register themselves again.",
  model_cache: "A cache.",
  provider_files: "A cache of what model providers keep.",
  files: "Bytes: `edgecrew files get`, or a copy of the bucket.",
  file_blobs: "As `files`: rows without their bytes are worth nothing.",
  stored_files: "As `file_blobs`.",
  file_uses: "As `file_blobs`.",
  workspace_files: "As `file_blobs`.",
  run_workspaces: "As `file_blobs`.",
  workspace_changes: "Empty between transactions.",
  file_removals: "Work that is left to do on the bytes of this deployment.",
  file_uploads: "Uploads under way.",
};

/** All columns of a table's rows in a backup, in their order there. */
export function columnsOf({ key, columns }: BackupTable): readonly string[] {
  return [...key, ...columns];
}
