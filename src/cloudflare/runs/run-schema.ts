// Tables of versions 1 to 4 in the SQLite of a run's Durable Object. Version 5 is in commit-log.ts.

/** Schema changes. Each entry migrates from its index to the next; never edited once released. */
export const RUN_SCHEMA: ReadonlyArray<readonly string[]> = [
  [
    `CREATE TABLE run (only INTEGER PRIMARY KEY CHECK (only = 1), record TEXT NOT NULL)`,
    `CREATE TABLE texts (name TEXT PRIMARY KEY, value TEXT, pieces INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE pieces (owner TEXT, n INTEGER, piece TEXT NOT NULL, PRIMARY KEY (owner, n)) WITHOUT ROWID`,
    `CREATE TABLE steps (
      started_seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL,
      interrupted INTEGER NOT NULL, input_hash TEXT, ended_seq INTEGER, started_at INTEGER NOT NULL, ended_at INTEGER,
      value TEXT, length INTEGER NOT NULL, error TEXT, wait TEXT, usage TEXT)`,
    `CREATE INDEX steps_waiting ON steps (started_seq) WHERE state = 'waiting' AND wait IS NOT NULL`,
    `CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, event TEXT, pieces INTEGER NOT NULL)`,
    `CREATE TABLE outbox (id TEXT PRIMARY KEY, payload TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL)`,
  ],
  // Marks on steps and events. Earlier versions encoded them in kinds and keys, and only this migration decodes them.
  [
    `ALTER TABLE steps ADD COLUMN label TEXT`,
    `ALTER TABLE steps ADD COLUMN parent TEXT`,
    `ALTER TABLE steps ADD COLUMN mark TEXT`,
    `UPDATE steps SET parent = (
      WITH RECURSIVE above(path) AS (
        SELECT ${parentPath("steps.key")} UNION ALL SELECT ${parentPath("path")} FROM above WHERE path <> '')
      SELECT outer_step.key FROM above JOIN steps AS outer_step ON outer_step.key = above.path
      WHERE outer_step.kind NOT IN ('wait', 'value') LIMIT 1)
    WHERE instr(key, '/') > 0`,
    `UPDATE steps SET mark = 'checkpoint' WHERE kind = 'task'`,
    `UPDATE steps SET kind = 'method', label = ${nameInKey(lastSegment("key"))} WHERE kind = 'task' AND ${lastSegment("key")} GLOB 'method:*'`,
    `UPDATE steps SET mark = 'inputs' WHERE instr('/' || key || '/', '/before-kickoff/') > 0`,
    `UPDATE steps SET mark = 'inputs' WHERE ${lastSegment("key")} IN ('hook:execution_start', 'hook:input')
      AND state = 'done' AND (value IS NULL OR json_type(value, '$.change') IS NOT NULL)`,
    `UPDATE events SET event = json_set(event, '$.taskId', event ->> '$.path')
      WHERE substr(id, -13) = ':task_started' AND event IS NOT NULL`,
    `UPDATE events SET event = json_set(event, '$.listenerScope', ${listenerScope("(event ->> '$.path')")})
      WHERE event IS NOT NULL AND instr('/' || id, '/own-listeners') > 0`,
  ],
  [
    `ALTER TABLE steps ADD COLUMN request TEXT`,
    `ALTER TABLE steps ADD COLUMN request_pieces INTEGER NOT NULL DEFAULT 0`,
  ],
  // Details of model calls: model, agent, task and purpose, as JSON.
  [`ALTER TABLE steps ADD COLUMN call TEXT`],
];

/** Returns the path above `key`; empty at the top. */
function parentPath(key: string): string {
  return `rtrim(rtrim(${key}, replace(${key}, '/', '')), '/')`;
}

function lastSegment(key: string): string {
  return `substr(${key}, length(rtrim(${key}, replace(${key}, '/', ''))) + 1)`;
}

/** Returns `draft` for `method:draft~2`. */
function nameInKey(segment: string): string {
  const named = `substr(${segment}, instr(${segment}, ':') + 1)`;
  return `substr(${named}, 1, instr(${named} || '~', '~') - 1)`;
}

/** Returns the path up to the end of its first part `own-listeners`. */
function listenerScope(path: string): string {
  const start = `instr('/' || ${path}, '/own-listeners')`;
  return `substr(${path}, 1, ${start} + instr(substr(${path}, ${start}) || '/', '/') - 2)`;
}
