import { EngineError, type ErrorRecord } from "../../base/error.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type { EventStore } from "../../events/event-log.ts";
import type { RunEvent } from "../../events/run-event.ts";
import type {
  JournalStore,
  StepCall,
  StepKind,
  StepMark,
  StepQuery,
  StepRecord,
  StepState,
  StepSummary,
  UsageOf,
  WaitRequest,
} from "../../journal/journal-store.ts";
import type { OutboxEntry, RunStore } from "../../runtime/run-store.ts";
import type { RunRecord } from "../../runtime/run.ts";
import { payerOf } from "../../journal/payer.ts";
import { RUN_SCHEMA } from "./run-schema.ts";
import { stepPageQuery } from "./step-page-query.ts";

export type SqlValue = string | number | null;

/** The part of a Durable Object's SQLite that a run needs; `node:sqlite` fits it as well. */
export interface SqlDatabase {
  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>>;
  /** All or nothing. */
  transaction(change: () => void): void;
}

/** In UTF-16 units: at most 768 KiB in UTF-8, well below the platform's 2 MB for a row. */
const MAX_PIECE_LENGTH = 256 * 1024;

const SUMMARY = `key, kind, label, parent, mark, state, attempt, interrupted, input_hash, started_seq, ended_seq, started_at, ended_at, length, error, wait, usage, call`;

const USAGE_SUMS = Object.keys(NO_USAGE)
  .map((field) => `COALESCE(SUM(usage ->> '${field}'), 0) AS ${field}`)
  .join(", ");

/** A run in the SQLite of its Durable Object. The schema is made at the first write; reading before that finds nothing. */
export class SqlRunStore implements RunStore {
  readonly journal: JournalStore;
  readonly events: EventStore;
  readonly #sql: Database;

  constructor(sql: SqlDatabase) {
    this.#sql = new Database(sql);
    this.journal = new SqlJournalStore(this.#sql);
    this.events = new SqlEventStore(this.#sql);
  }

  load(): RunRecord | undefined {
    const row = this.#sql.first(`SELECT record FROM run`);
    return row === undefined ? undefined : (JSON.parse(text(row["record"])) as RunRecord);
  }

  save(record: RunRecord): void {
    this.#sql.write(
      `INSERT INTO run (only, record) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET record = excluded.record`,
      JSON.stringify(record),
    );
  }

  value(name: string): string | undefined {
    const row = this.#sql.first(`SELECT value, pieces FROM texts WHERE name = ?`, name);
    return row === undefined ? undefined : this.#sql.readLong(`text:${name}`, row);
  }

  setValue(name: string, json: string): void {
    const { whole, pieces } = this.#sql.writeLong(`text:${name}`, json);
    this.#sql.write(
      `INSERT OR REPLACE INTO texts (name, value, pieces) VALUES (?, ?, ?)`,
      name,
      whole,
      pieces,
    );
  }

  outbox(): readonly OutboxEntry[] {
    return this.#sql
      .all(`SELECT id, payload, attempts, due_at FROM outbox ORDER BY due_at, id`)
      .map((row) => ({
        id: text(row["id"]),
        payload: text(row["payload"]),
        attempts: Number(row["attempts"]),
        dueAtMs: Number(row["due_at"]),
      }));
  }

  putOutbox({ id, payload, attempts, dueAtMs }: OutboxEntry): void {
    this.#sql.write(
      `INSERT OR REPLACE INTO outbox (id, payload, attempts, due_at) VALUES (?, ?, ?, ?)`,
      id,
      payload,
      attempts,
      dueAtMs,
    );
  }

  removeOutbox({ id, payload }: OutboxEntry): void {
    this.#sql.write(`DELETE FROM outbox WHERE id = ? AND payload = ?`, id, payload);
  }

  transaction(change: () => void): void {
    this.#sql.transaction(change);
  }

  clear(): void {
    this.#sql.clear();
  }
}

class SqlJournalStore implements JournalStore {
  readonly #sql: Database;

  constructor(sql: Database) {
    this.#sql = sql;
  }

  get(key: string): StepRecord | undefined {
    const row = this.#sql.first(
      `SELECT ${SUMMARY}, value, request, request_pieces FROM steps WHERE key = ?`,
      key,
    );
    if (row === undefined) return undefined;
    const { bytes, ...summary } = toSummary(row);
    const pieces = row["value"] === null ? Math.ceil(bytes / MAX_PIECE_LENGTH) : 0;
    return {
      ...summary,
      value: this.#text(`step:${key}`, { value: row["value"], pieces }),
      request: this.#text(`request:${key}`, {
        value: row["request"],
        pieces: row["request_pieces"],
      }),
    };
  }

  put(record: StepRecord): void {
    const { key, value, request, error, wait, usage, call } = record;
    const whole = value === null ? null : this.#sql.writeLong(`step:${key}`, value).whole;
    const asked =
      request === null
        ? { whole: null, pieces: 0 }
        : this.#sql.writeLong(`request:${key}`, request);
    this.#sql.write(
      `INSERT INTO steps (${SUMMARY}, value, request, request_pieces) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET mark = excluded.mark, state = excluded.state, attempt = excluded.attempt, interrupted = excluded.interrupted,
         input_hash = excluded.input_hash, ended_seq = excluded.ended_seq, ended_at = excluded.ended_at, length = excluded.length,
         error = excluded.error, wait = excluded.wait, usage = excluded.usage, value = excluded.value,
         request = excluded.request, request_pieces = excluded.request_pieces, call = excluded.call`,
      key,
      record.kind,
      record.label,
      record.parent,
      record.mark,
      record.state,
      record.attempt,
      record.interrupted,
      record.inputHash,
      record.startedSeq,
      record.endedSeq,
      record.startedAtMs,
      record.endedAtMs,
      value?.length ?? 0,
      error === null ? null : JSON.stringify(error),
      wait === null ? null : JSON.stringify(wait),
      usage === null ? null : JSON.stringify(usage),
      call === undefined ? null : JSON.stringify(call),
      whole,
      asked.whole,
      asked.pieces,
    );
  }

  /** A text that may be absent, or in pieces. */
  #text(owner: string, row: { readonly value: unknown; readonly pieces: unknown }): string | null {
    return row.value === null && row.pieces === 0 ? null : this.#sql.readLong(owner, row);
  }

  list(afterSeq: number, limit: number): readonly StepSummary[] {
    const query = `SELECT ${SUMMARY} FROM steps WHERE started_seq > ? ORDER BY started_seq LIMIT ?`;
    return this.#sql.all(query, afterSeq, limit).map(toSummary);
  }

  waits(): readonly StepSummary[] {
    const query = `SELECT ${SUMMARY} FROM steps WHERE state = 'waiting' AND wait IS NOT NULL ORDER BY started_seq`;
    return this.#sql.all(query).map(toSummary);
  }

  count(): number {
    return Number(this.#sql.first(`SELECT COUNT(*) AS count FROM steps`)?.["count"] ?? 0);
  }

  lastSeq(): number {
    const row = this.#sql.first(
      `SELECT MAX(MAX(started_seq), MAX(COALESCE(ended_seq, 0))) AS seq FROM steps`,
    );
    return Number(row?.["seq"] ?? 0);
  }

  usage(): Usage {
    const row = this.#sql.first(`SELECT ${USAGE_SUMS} FROM steps WHERE usage IS NOT NULL`);
    return row === undefined ? NO_USAGE : (row as Usage);
  }

  usageBy(): readonly UsageOf[] {
    const query = `SELECT ${USAGE_SUMS}, kind, CASE WHEN call IS NULL AND kind = 'model' THEN label END AS label,
        CASE WHEN call IS NOT NULL THEN json_object('model', call ->> 'model', 'agent', call ->> 'agent', 'task', call ->> 'task') END AS payer
      FROM steps WHERE usage IS NOT NULL GROUP BY 9, 10, 11 ORDER BY MIN(started_seq)`;
    return this.#sql.all(query).map(({ kind, label, payer, ...sums }) => ({
      ...payerOf({
        kind: text(kind) as StepKind,
        label: label as string | null,
        ...(payer === null ? undefined : { call: withoutNulls(text(payer)) as StepCall }),
      }),
      usage: sums as Usage,
    }));
  }

  page(query: StepQuery): readonly StepSummary[] {
    const { sql, bindings } = stepPageQuery(query, SUMMARY);
    return this.#sql.all(sql, ...bindings).map(toSummary);
  }

  piece(key: string, from: number, length: number): string | null {
    const row = this.#sql.first(`SELECT value, length FROM steps WHERE key = ?`, key);
    if (row === undefined) return null;
    if (row["value"] !== null) return text(row["value"]).slice(from, from + length);
    return Number(row["length"]) === 0 ? null : this.#sql.readPiece(`step:${key}`, from, length);
  }

  children(): { readonly total: number; readonly open: number } {
    const run = `wait ->> 'runId'`;
    const row = this.#sql.first(
      `SELECT COUNT(DISTINCT ${run}) AS total, COUNT(DISTINCT CASE WHEN state = 'waiting' THEN ${run} END) AS open
      FROM steps WHERE kind = 'wait'`,
    );
    return { total: Number(row?.["total"] ?? 0), open: Number(row?.["open"] ?? 0) };
  }
}

class SqlEventStore implements EventStore {
  readonly #sql: Database;

  constructor(sql: Database) {
    this.#sql = sql;
  }

  append(event: RunEvent): void {
    const { whole, pieces } = this.#sql.writeLong(`event:${event.seq}`, JSON.stringify(event));
    this.#sql.write(
      `INSERT INTO events (seq, id, event, pieces) VALUES (?, ?, ?, ?)`,
      event.seq,
      event.id,
      whole,
      pieces,
    );
  }

  *ids(): Iterable<string> {
    for (const row of this.#sql.all(`SELECT id FROM events`)) yield text(row["id"]);
  }

  read(afterSeq: number, limit: number, maxLength?: number): readonly RunEvent[] {
    const query = `SELECT seq, event, pieces FROM events WHERE seq > ? ORDER BY seq LIMIT ?`;
    return this.#read(query, [afterSeq, limit], maxLength);
  }

  readBack(beforeSeq: number, limit: number, maxLength?: number): readonly RunEvent[] {
    const query = `SELECT seq, event, pieces FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?`;
    return this.#read(query, [beforeSeq, limit], maxLength);
  }

  #read(query: string, place: readonly number[], maxLength?: number): readonly RunEvent[] {
    const rows: Record<string, unknown>[] = [];
    let length = 0;
    for (const row of this.#sql.each(query, ...place)) {
      length +=
        row["event"] === null
          ? Number(row["pieces"]) * MAX_PIECE_LENGTH
          : text(row["event"]).length;
      if (maxLength !== undefined && length > maxLength && rows.length > 0) break;
      rows.push(row);
    }
    return rows.map((row) => {
      const json = this.#sql.readLong(`event:${Number(row["seq"])}`, {
        value: row["event"],
        pieces: row["pieces"],
      });
      return JSON.parse(json) as RunEvent;
    });
  }

  lastSeq(): number {
    return Number(this.#sql.first(`SELECT MAX(seq) AS seq FROM events`)?.["seq"] ?? 0);
  }
}

/** Makes the schema on the first write, and keeps texts that are too long for a row in pieces. */
class Database {
  readonly #sql: SqlDatabase;
  #ready = false;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  all(query: string, ...bindings: SqlValue[]): Array<Record<string, unknown>> {
    return this.#exists() ? [...this.#sql.exec(query, ...bindings)] : [];
  }

  /** The rows as they are taken. */
  each(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>> {
    return this.#exists() ? this.#sql.exec(query, ...bindings) : [];
  }

  first(query: string, ...bindings: SqlValue[]): Record<string, unknown> | undefined {
    if (!this.#exists()) return undefined;
    for (const row of this.#sql.exec(query, ...bindings)) return row;
    return undefined;
  }

  write(query: string, ...bindings: SqlValue[]): void {
    if (!this.#exists()) this.#migrate(0);
    this.#sql.exec(query, ...bindings);
  }

  transaction(change: () => void): void {
    try {
      this.#sql.transaction(change);
    } catch (error) {
      this.#ready = false; // the schema may have been made in what was undone
      throw error;
    }
  }

  /** Drops the schema, and with it everything. */
  clear(): void {
    const tables = this.all(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'`,
    );
    this.transaction(() => {
      for (const { name } of tables) this.#sql.exec(`DROP TABLE "${text(name)}"`);
    });
    this.#ready = false;
  }

  writeLong(owner: string, value: string): { whole: string | null; pieces: number } {
    if (value.length <= MAX_PIECE_LENGTH) return { whole: value, pieces: 0 };
    this.write(`DELETE FROM pieces WHERE owner = ?`, owner);
    let pieces = 0;
    for (let start = 0; start < value.length; pieces++) {
      const end = pieceEnd(value, start);
      this.write(
        `INSERT INTO pieces (owner, n, piece) VALUES (?, ?, ?)`,
        owner,
        pieces,
        value.slice(start, end),
      );
      start = end;
    }
    return { whole: null, pieces };
  }

  /** A piece of a text that is kept in pieces. */
  readPiece(owner: string, from: number, length: number): string {
    let at = 0;
    let found = "";
    for (const row of this.each(`SELECT piece FROM pieces WHERE owner = ? ORDER BY n`, owner)) {
      const piece = text(row["piece"]);
      const start = Math.max(0, from - at);
      found += piece.slice(start, start + length - found.length);
      at += piece.length;
      if (found.length === length) break;
    }
    return found;
  }

  readLong(owner: string, row: Record<string, unknown>): string {
    if (row["value"] !== null) return text(row["value"]);
    const pieces = this.all(`SELECT piece FROM pieces WHERE owner = ? ORDER BY n`, owner);
    if (pieces.length < Number(row["pieces"]))
      throw new EngineError("internal", `the stored text ${owner} is incomplete`);
    return pieces.map((piece) => text(piece["piece"])).join("");
  }

  #exists(): boolean {
    if (this.#ready) return true;
    for (const _ of this.#sql.exec(
      `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'`,
    )) {
      for (const row of this.#sql.exec(`SELECT version FROM schema_version`))
        this.#migrate(Number(row["version"]));
      return true;
    }
    return false;
  }

  #migrate(from: number): void {
    if (from > RUN_SCHEMA.length) {
      throw new EngineError(
        "internal",
        `the run was written by a newer version (schema ${from}, this code knows ${RUN_SCHEMA.length})`,
      );
    }
    if (from < RUN_SCHEMA.length) {
      this.#sql.transaction(() => {
        if (from === 0) this.#sql.exec(`CREATE TABLE schema_version (version INTEGER NOT NULL)`);
        if (from === 0) this.#sql.exec(`INSERT INTO schema_version VALUES (0)`);
        for (const statement of RUN_SCHEMA.slice(from).flat()) this.#sql.exec(statement);
        this.#sql.exec(`UPDATE schema_version SET version = ?`, RUN_SCHEMA.length);
      });
    }
    this.#ready = true;
  }
}

/** Where a piece that starts at `start` ends: never between the two halves of a surrogate pair. */
function pieceEnd(value: string, start: number): number {
  const end = Math.min(value.length, start + MAX_PIECE_LENGTH);
  const last = value.charCodeAt(end - 1);
  const splitsPair = end < value.length && last >= 0xd800 && last <= 0xdbff;
  return splitsPair ? end - 1 : end;
}

function toSummary(row: Record<string, unknown>): StepSummary {
  return {
    key: text(row["key"]),
    kind: text(row["kind"]) as StepKind,
    label: row["label"] as string | null,
    parent: row["parent"] as string | null,
    mark: row["mark"] as StepMark | null,
    state: text(row["state"]) as StepState,
    attempt: Number(row["attempt"]),
    interrupted: Number(row["interrupted"]),
    inputHash: row["input_hash"] as string | null,
    startedSeq: Number(row["started_seq"]),
    endedSeq: row["ended_seq"] as number | null,
    startedAtMs: Number(row["started_at"]),
    endedAtMs: row["ended_at"] as number | null,
    bytes: Number(row["length"]),
    error: fromJson(row["error"]) as ErrorRecord | null,
    wait: fromJson(row["wait"]) as WaitRequest | null,
    usage: fromJson(row["usage"]) as Usage | null,
    ...(row["call"] === null ? undefined : { call: fromJson(row["call"]) as StepCall }),
  };
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new EngineError("internal", `expected a text in the run's storage, got ${typeof value}`);
}

function withoutNulls(json: string): object {
  const fields = Object.entries(JSON.parse(json) as object);
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}

function fromJson(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : null;
}
