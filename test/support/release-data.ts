// Data as a release has left it, as SQL texts: the database, and the storage of one open run.
import type { DatabaseSync } from "node:sqlite";
import { D1BackupRows } from "../../src/cloudflare/stores/d1-backup-rows.ts";
import { D1RunIndex } from "../../src/cloudflare/runs/d1-run-index.ts";
import { D1KnowledgeStore } from "../../src/cloudflare/stores/d1-knowledge-store.ts";
import type { BackupRow } from "../../src/backup/backup-rows.ts";
import type { SqlDatabase } from "../../src/cloudflare/runs/sql-database.ts";
import { SqlRunStore } from "../../src/cloudflare/runs/sql-run-store.ts";
import { crewPart } from "../../src/crew/crew-part.ts";
import { programsOf } from "../../src/parts/programs.ts";
import { allReaders } from "./all-readers.ts";
import { scriptedModel, type ScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { askingScript, briefing } from "./http-app.ts";
import { RunWorld } from "./run-world.ts";
import { sqliteD1 } from "./sqlite-d1.ts";

export const TENANT = "acme";

/** A database as a text that makes it again. */
export function dumpOf(database: DatabaseSync): string {
  const made = database
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all() as { name: string; sql: string }[];
  const tables = made.filter(
    ({ name, sql }) =>
      name === "knowledge_words" || // the other one is filled by triggers
      (sql.startsWith("CREATE TABLE") && !/_(data|idx|content|docsize|config)$/.test(name)),
  );
  const rows = tables.flatMap(({ name }) =>
    database
      .prepare(`SELECT ${name === "knowledge_words" ? "rowid, " : ""}* FROM "${name}"`)
      .all()
      .map((row) => {
        const columns = Object.keys(row).map((column) => `"${column}"`);
        const values = Object.values(row).map(literal);
        return `INSERT OR REPLACE INTO "${name}" (${columns.join(", ")}) VALUES (${values.join(", ")});`;
      }),
  );
  return `${rows.join("\n")}\n`;
}

/** The schema of a database without full-text tables. */
export function schemaOf(database: DatabaseSync): string {
  const made = database
    .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    .all() as { sql: string }[];
  return `${made.map(({ sql }) => `${sql};`).join("\n")}\n`;
}

function literal(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new TypeError(`a fixture has texts and numbers, got ${typeof value}`);
}

/** A run of the briefing that asks a person, on this storage. */
export function askingRun(database: SqlDatabase): { world: RunWorld; model: ScriptedModel } {
  const model = scriptedModel(askingScript());
  const find = programsOf([crewPart({ crews: { briefing }, registry: {}, readers: allReaders })]);
  const world = new RunWorld(() => Promise.resolve(null), {
    fixture: {
      store: new SqlRunStore(database),
      reopen: () => new SqlRunStore(database),
    },
    id: "open",
    findProgram: find,
    models: () => model,
  });
  return { world, model };
}

/** `node:sqlite` as the storage of a run. */
export function storageOf(database: DatabaseSync): SqlDatabase {
  return {
    exec: (query, ...bindings) => database.prepare(query).all(...bindings),
    transaction: (change) => {
      const isInside = database.isTransaction;
      if (!isInside) database.exec("BEGIN");
      try {
        change();
        if (!isInside) database.exec("COMMIT");
      } catch (error) {
        if (!isInside) database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

/** Writes a row of each kind into a database, as the present code does. */
export async function filledDatabase(): Promise<DatabaseSync> {
  const db = sqliteD1();
  const rows = new D1BackupRows(db);
  const times = { created_at: 1_700_000_000_000, updated_at: 1_700_000_000_000 };
  const all: Readonly<Record<string, BackupRow>> = {
    definitions: {
      kind: "crew",
      name: "stored",
      definition: JSON.stringify({
        agents: { writer: { role: "Writer", goal: "Write", backstory: "Short" } },
        tasks: [{ name: "write", description: "Write", expectedOutput: "A page", agent: "writer" }],
      }),
      ...times,
    },
    memories: {
      id: "m1",
      scope: "/customers",
      content: "The customer pays with a card",
      categories: '["payment"]',
      metadata: '{"by":"Ann"}',
      importance: 0.5,
      source: null,
      private: 0,
      created_at: times.created_at,
      last_accessed: times.created_at,
    },
    flow_states: {
      run_id: "r1",
      key: "save",
      flow: "account",
      flow_id: "f1",
      method: "open",
      state: '{"id":"f1","balance":3}',
      bytes: 24,
      created_at: times.created_at,
    },
    trainings: { name: "briefing", agents: "{}", updated_at: times.updated_at },
  };
  for (const [table, row] of Object.entries(all)) await rows.insert(TENANT, table, [row]);
  const index = new D1RunIndex(db);
  const run = { tenant: TENANT, kind: "crew", name: "briefing", createdAtMs: times.created_at };
  await index.put({
    ...run,
    id: "done",
    status: "completed",
    updatedAtMs: times.updated_at,
    version: 7,
    leaseUntilMs: null,
  });
  await index.put({
    ...run,
    id: "open",
    status: "waiting",
    updatedAtMs: times.updated_at,
    version: 4,
    leaseUntilMs: null,
    waits: [{ wait: { key: "answer", kind: "human", prompt: "Go on?" }, openedAtMs: 5 }],
  });
  const knowledge = new D1KnowledgeStore(db, TENANT);
  await knowledge.putChunks("handbook", [
    { id: "c1", document: "d1", ordinal: 0, text: "Holidays last three weeks", start: 0, end: 25 },
  ]);
  return db.sqlite;
}
