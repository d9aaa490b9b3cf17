// Migration of objects of versions 1 to 4, which had a table for each kind of data and a row for each item. It runs
// when they are first opened.
import { EngineError, type ErrorRecord } from "../../base/error.ts";
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type {
  StepCall,
  StepKind,
  StepMark,
  StepRecord,
  StepState,
  WaitRequest,
} from "../../journal/journal-store.ts";
import type { RunRecord } from "../../runtime/run.ts";
import { CommitLog, newText, TABLE } from "./commit-log.ts";
import { keptStep } from "./kept-steps.ts";
import { RUN_SCHEMA } from "./run-schema.ts";
import { RunState } from "./run-state.ts";
import type { SqlDatabase } from "./sql-database.ts";

const PAGE = 32;
const TABLES = ["run", "texts", "pieces", "steps", "events", "outbox"];

/** Copies the tables of an old version into the log of commits and drops them, in one transaction. */
export function bringOver(sql: SqlDatabase, from: number): void {
  sql.transaction(() => {
    sql.exec(`DROP TABLE ${TABLE}`);
    for (const statement of RUN_SCHEMA.slice(from).flat()) sql.exec(statement);
    const log = new CommitLog(sql);
    for (const change of changes(new OldTables(sql))) {
      const state = new RunState();
      change(state);
      log.append(state.changes());
    }
    for (const table of TABLES) sql.exec(`DROP TABLE ${table}`);
  });
}

/** Yields pages, so a long run is never whole in memory. */
function* changes(old: OldTables): Generator<(state: RunState) => void> {
  for (const page of old.steps())
    yield (state) => page.forEach((row) => state.setStep(keptStep(row, undefined)));
  for (const page of old.events())
    yield (state) =>
      page.forEach(({ seq, id, json }) => state.addEvent({ seq, id, text: newText(json) }));
  for (const { name, json } of old.texts()) yield (state) => state.setText(name, newText(json));
  yield (state) => {
    for (const { id, payload, ...entry } of old.outbox())
      state.setOutbox(id, { ...entry, payload: newText(payload) });
    const record = old.record();
    if (record !== undefined) state.setRecord(record);
  };
}

class OldTables {
  readonly #sql: SqlDatabase;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  *steps(): Generator<readonly StepRecord[]> {
    for (const rows of this.#pages("steps", "started_seq")) {
      yield rows.filter((row) => !isLong(row)).map((row) => this.#step(row));
      for (const row of rows) if (isLong(row)) yield [this.#step(row)];
    }
  }

  *events(): Generator<ReadonlyArray<{ seq: number; id: string; json: string }>> {
    for (const rows of this.#pages("events", "seq"))
      yield rows.map((row) => ({
        seq: Number(row["seq"]),
        id: text(row["id"]),
        json: this.#long(`event:${Number(row["seq"])}`, row["event"]),
      }));
  }

  *texts(): Generator<{ readonly name: string; readonly json: string }> {
    const names = Array.from(this.#sql.exec(`SELECT name FROM texts`), ({ name }) => name);
    for (const name of names)
      for (const { value } of this.#sql.exec(`SELECT value FROM texts WHERE name = ?`, text(name)))
        yield { name: text(name), json: this.#long(`text:${text(name)}`, value) };
  }

  outbox(): ReadonlyArray<{ id: string; payload: string; attempts: number; dueAtMs: number }> {
    return Array.from(this.#sql.exec(`SELECT * FROM outbox ORDER BY due_at, id`), (row) => ({
      id: text(row["id"]),
      payload: text(row["payload"]),
      attempts: Number(row["attempts"]),
      dueAtMs: Number(row["due_at"]),
    }));
  }

  record(): RunRecord | undefined {
    for (const { record } of this.#sql.exec(`SELECT record FROM run`))
      return JSON.parse(text(record)) as RunRecord;
    return undefined;
  }

  *#pages(table: string, place: string): Generator<Array<Record<string, unknown>>> {
    for (let after = -1; ;) {
      const query = `SELECT * FROM ${table} WHERE ${place} > ? ORDER BY ${place} LIMIT ${PAGE}`;
      const rows = [...this.#sql.exec(query, after)];
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
      after = Number(rows.at(-1)?.[place]);
    }
  }

  #step(row: Record<string, unknown>): StepRecord {
    const key = text(row["key"]);
    const hasValue = row["value"] !== null || Number(row["length"]) > 0;
    const hasRequest = row["request"] !== null || Number(row["request_pieces"]) > 0;
    return {
      key,
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
      value: hasValue ? this.#long(`step:${key}`, row["value"]) : null,
      request: hasRequest ? this.#long(`request:${key}`, row["request"]) : null,
      error: fromJson(row["error"]) as ErrorRecord | null,
      wait: fromJson(row["wait"]) as WaitRequest | null,
      usage: row["usage"] === null ? null : { ...NO_USAGE, ...(fromJson(row["usage"]) as Usage) },
      ...(row["call"] === null ? undefined : { call: fromJson(row["call"]) as StepCall }),
    };
  }

  /** Returns a text from its column, or from its pieces if the column is empty. */
  #long(owner: string, value: unknown): string {
    if (value !== null) return text(value);
    return Array.from(
      this.#sql.exec(`SELECT piece FROM pieces WHERE owner = ? ORDER BY n`, owner),
      ({ piece }) => text(piece),
    ).join("");
  }
}

/** True if a step's result is stored in pieces. */
function isLong(row: Record<string, unknown>): boolean {
  return row["value"] === null && Number(row["length"]) > 0;
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new EngineError("internal", `expected a text in the run's storage, got ${typeof value}`);
}

function fromJson(value: unknown): unknown {
  return typeof value === "string" ? JSON.parse(value) : null;
}
