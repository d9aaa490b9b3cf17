/** Tables of a runtime log and their columns, with AG2's names; ids are texts, and function calls have ids, too. */
export const LOG_TABLES = {
  chat_completions: {
    id: "TEXT PRIMARY KEY",
    invocation_id: "TEXT",
    client_id: "TEXT",
    wrapper_id: "TEXT",
    session_id: "TEXT",
    source_name: "TEXT",
    request: "TEXT",
    response: "TEXT",
    is_cached: "INTEGER",
    cost: "REAL",
    start_time: "TEXT",
    end_time: "TEXT",
  },
  agents: {
    id: "TEXT PRIMARY KEY",
    agent_id: "TEXT",
    wrapper_id: "TEXT",
    session_id: "TEXT",
    name: "TEXT",
    class: "TEXT",
    init_args: "TEXT",
    timestamp: "TEXT",
  },
  oai_wrappers: {
    id: "TEXT PRIMARY KEY",
    wrapper_id: "TEXT",
    session_id: "TEXT",
    init_args: "TEXT",
    timestamp: "TEXT",
  },
  oai_clients: {
    id: "TEXT PRIMARY KEY",
    client_id: "TEXT",
    wrapper_id: "TEXT",
    session_id: "TEXT",
    class: "TEXT",
    init_args: "TEXT",
    timestamp: "TEXT",
  },
  version: { id: "INTEGER PRIMARY KEY CHECK (id = 1)", version_number: "INTEGER NOT NULL" },
  events: {
    id: "TEXT PRIMARY KEY",
    event_name: "TEXT",
    source_id: "TEXT",
    source_name: "TEXT",
    agent_module: "TEXT",
    agent_class_name: "TEXT",
    json_state: "TEXT",
    timestamp: "TEXT",
  },
  function_calls: {
    id: "TEXT PRIMARY KEY",
    source_id: "TEXT",
    source_name: "TEXT",
    function_name: "TEXT",
    args: "TEXT",
    returns: "TEXT",
    timestamp: "TEXT",
  },
} as const;

/** The name of a table. */
export type LogTable = keyof typeof LOG_TABLES;

/** A value of a column. */
export type LogValue = string | number | null;

/** A row of one table. Its columns are in the order of the table. */
export type LogRow = {
  [Table in LogTable]: {
    readonly table: Table;
    readonly values: Readonly<Record<keyof (typeof LOG_TABLES)[Table], LogValue>>;
  };
}[LogTable];

/**
 * Receives the rows of a run. A repeated row has the same id; a row of `agents` may be repeated with its `wrapper_id`.
 */
export interface LogSink {
  write(rows: readonly LogRow[]): unknown;
}
