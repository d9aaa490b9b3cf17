// Objects that an earlier version wrote keep working: the schema below is the one that it made, and never changes.
import { describe, expect, it } from "vitest";
import type { SqlDatabase } from "../../../src/cloudflare/runs/sql-database.ts";
import { RUN_SCHEMA } from "../../../src/cloudflare/runs/run-schema.ts";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import { hasOwnListeners } from "../../../src/events/listener-queue.ts";
import { modelCallSummary } from "../../../src/runtime/model-call-list.ts";
import { drive, rowsOf } from "../../support/journal-harness.ts";
import { sqliteInMemory } from "../../support/run-stores.ts";

const FIRST_SCHEMA = [
  `CREATE TABLE schema_version (version INTEGER NOT NULL)`,
  `INSERT INTO schema_version VALUES (1)`,
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
];

type OldRow = { readonly kind: string; readonly value?: string; readonly length?: number };

/** A database of the first version. Rows start in the order given, and those with a value have ended. */
function oldDatabase(
  steps: Readonly<Record<string, OldRow>>,
  events: ReadonlyArray<{ readonly id: string; readonly path: string }> = [],
): SqlDatabase {
  const database = sqliteInMemory();
  for (const statement of FIRST_SCHEMA) database.exec(statement);
  const insert = `INSERT INTO steps (started_seq, key, kind, state, attempt, interrupted, ended_seq, started_at, ended_at, value, length)
    VALUES (?, ?, ?, ?, 1, 0, ?, 0, ?, ?, ?)`;
  for (const [index, [key, { kind, value, length = value?.length ?? 0 }]] of Object.entries(
    steps,
  ).entries()) {
    const ended = length > 0;
    database.exec(
      insert,
      index + 1,
      key,
      kind,
      ended ? "done" : "started",
      ended ? 100 + index : null,
      ended ? 0 : null,
      value ?? null,
      length,
    );
  }
  for (const [index, { id, path }] of events.entries()) {
    const type = id.slice(id.lastIndexOf(":") + 1);
    const event = JSON.stringify({ seq: index + 1, id, type, path, runId: "run-1" });
    database.exec(`INSERT INTO events VALUES (?, ?, ?, 0)`, index + 1, id, event);
  }
  return database;
}

const marksOf = (database: SqlDatabase) =>
  Object.fromEntries(
    rowsOf(new SqlRunStore(database).journal).map(({ key, kind, label, parent, mark }) => [
      key,
      [kind, label, parent, mark],
    ]),
  );

describe("a run stored before rows had marks", () => {
  it("finds the parent of each row among the rows above it", () => {
    const database = oldDatabase({
      "task:a": { kind: "task" },
      "task:a/turn:1/llm": { kind: "model", value: "{}" },
      "task:a/turn:1/tool:x#0": { kind: "tool" },
      "task:a/turn:1/tool:x#0/crew:b/task:c": { kind: "task", value: "{}" },
      ask: { kind: "wait" },
      "ask/after": { kind: "effect", value: "1" },
    });
    expect(marksOf(database)).toEqual({
      "task:a": ["task", null, null, "checkpoint"],
      "task:a/turn:1/llm": ["model", null, "task:a", null],
      "task:a/turn:1/tool:x#0": ["tool", null, "task:a", null],
      "task:a/turn:1/tool:x#0/crew:b/task:c": [
        "task",
        null,
        "task:a/turn:1/tool:x#0",
        "checkpoint",
      ],
      ask: ["wait", null, null, null],
      "ask/after": ["effect", null, null, null],
    });
  });

  it("shows the model of a call by its name in the row, and counts its cost", () => {
    const database = oldDatabase({ "task:a/turn:1/llm": { kind: "model", value: "{}" } });
    database.exec(`UPDATE steps SET usage = '{"requests":1,"costUsd":2}'`);
    database.exec(`ALTER TABLE steps ADD COLUMN label TEXT`);
    database.exec(`ALTER TABLE steps ADD COLUMN parent TEXT`);
    database.exec(`ALTER TABLE steps ADD COLUMN mark TEXT`);
    database.exec(`UPDATE steps SET label = 'openai/x'`);
    database.exec(`UPDATE schema_version SET version = 2`);
    const { journal } = new SqlRunStore(database);
    expect(journal.usageBy()).toMatchObject([
      { model: "openai/x", usage: { requests: 1, promptTokens: 0, costUsd: 2 } },
    ]);
    const [row] = journal.page({ order: "desc", limit: 1 });
    expect(row).not.toHaveProperty("call");
    expect(row && modelCallSummary(row)).toMatchObject({ model: "openai/x", purpose: "other" });
  });

  it("marks the methods of flows", () => {
    const database = oldDatabase({
      "method:draft": { kind: "task", value: "{}" },
      "method:draft~12": { kind: "task", value: "{}" },
      "method:draft~12/task:method:no": { kind: "task" },
      "group:1/method:other": { kind: "task" },
    });
    expect(marksOf(database)).toEqual({
      "method:draft": ["method", "draft", null, "checkpoint"],
      "method:draft~12": ["method", "draft", null, "checkpoint"],
      "method:draft~12/task:method:no": ["task", null, "method:draft~12", "checkpoint"],
      "group:1/method:other": ["method", "other", null, "checkpoint"],
    });
  });

  it("continues an unfinished method", async () => {
    const { journal } = new SqlRunStore(oldDatabase({ "method:draft": { kind: "task" } }));
    const result = await drive(journal, (scope) =>
      scope.at("method:draft").group("method", async () => "done"),
    );
    expect(result).toEqual({ state: "completed", value: "done" });
  });

  it("marks the steps for its inputs", () => {
    const database = oldDatabase({
      "before-kickoff/0": { kind: "effect", value: "{}" },
      "crew:x/before-kickoff/1/look": { kind: "effect" },
      "not-before-kickoff/0": { kind: "effect", value: "{}" },
      "hook:execution_start": { kind: "effect", value: '{"change":{"value":{}}}' },
      "hook:input": { kind: "effect", value: '{"outcome":"proceeded"}' },
      "crew:x/hook:input": { kind: "effect", length: 300_000 },
      "hook:output": { kind: "effect", value: '{"change":{"value":{}}}' },
    });
    database.exec(
      `INSERT INTO pieces VALUES ('step:crew:x/hook:input', 0, ?)`,
      "1".repeat(200_000),
    );
    database.exec(
      `INSERT INTO pieces VALUES ('step:crew:x/hook:input', 1, ?)`,
      "1".repeat(100_000),
    );
    const marks = Object.entries(marksOf(database)).map(([key, [, , , mark]]) => [key, mark]);
    expect(Object.fromEntries(marks)).toEqual({
      "before-kickoff/0": "inputs",
      "crew:x/before-kickoff/1/look": "inputs",
      "not-before-kickoff/0": null,
      "hook:execution_start": "inputs",
      "hook:input": null,
      "crew:x/hook:input": "inputs",
      "hook:output": null,
    });
  });

  it("has events with their task, and with the scope of their listeners", () => {
    const database = oldDatabase({}, [
      { id: "run_started", path: "" },
      { id: "crew:x/task:a:task_started", path: "crew:x/task:a" },
      { id: "task:a:task_completed", path: "task:a" },
      { id: "own-listeners/crew:y:crew_kickoff_started", path: "own-listeners/crew:y" },
      { id: "a/own-listeners~2/b:run_resumed", path: "a/own-listeners~2/b" },
    ]);
    const events = new SqlRunStore(database).events.read(0, 10);
    expect(
      events.map(({ listenerScope, ...event }) => [
        "taskId" in event ? event.taskId : undefined,
        listenerScope,
      ]),
    ).toEqual([
      [undefined, undefined],
      ["crew:x/task:a", undefined],
      [undefined, undefined],
      [undefined, "own-listeners"],
      [undefined, "a/own-listeners~2"],
    ]);
    expect(events.map(hasOwnListeners)).toEqual([false, false, false, true, true]);
  });

  it("is migrated once", () => {
    const database = oldDatabase({ "task:a": { kind: "task" } });
    const marks = marksOf(database);
    const rows = () => [...database.exec(`SELECT * FROM schema_version`)];
    const brought = rows();
    expect(marksOf(database)).toEqual(marks);
    expect(rows()).toEqual(brought);
  });
});

describe("a run stored in tables of version 4", () => {
  const PIECE = 256 * 1024;

  /** A database of version 4, with one of each thing that a run keeps. */
  function version4(): SqlDatabase {
    const database = oldDatabase(
      {
        "task:a": { kind: "task" },
        "task:a/turn:1/llm": { kind: "model", value: `{"text":"short"}` },
        "task:a/turn:1/tool:x#0": { kind: "tool", length: PIECE + 2 },
        "task:a/turn:2/llm": { kind: "model" },
      },
      [
        { id: "run_started", path: "" },
        { id: "task:a:task_started", path: "task:a" },
      ],
    );
    for (const statement of RUN_SCHEMA.slice(1).flat()) database.exec(statement);
    database.exec(`UPDATE schema_version SET version = 4`);
    const pieces = [`"${"x".repeat(PIECE - 1)}`, `x"`];
    for (const [n, piece] of pieces.entries())
      database.exec(`INSERT INTO pieces VALUES ('step:task:a/turn:1/tool:x#0', ?, ?)`, n, piece);
    database.exec(
      `UPDATE steps SET call = '{"model":"openai/x"}', usage = '{"requests":1,"totalTokens":7}', request = '{"messages":[]}' WHERE kind = 'model' AND state = 'done'`,
    );
    database.exec(
      `INSERT INTO steps (started_seq, key, kind, state, attempt, interrupted, started_at, length, wait) VALUES (9, 'ask', 'wait', 'waiting', 1, 0, 5, 0, '{"kind":"human","prompt":"Well?"}')`,
    );
    const record = { id: "run-1", tenant: "acme", kind: "crew", name: "briefing", version: 3 };
    database.exec(`INSERT INTO run VALUES (1, ?)`, JSON.stringify(record));
    database.exec(`INSERT INTO texts VALUES ('inputs', '{"topic":"tea"}', 0)`);
    database.exec(`INSERT INTO outbox VALUES ('index', '{"id":"run-1"}', 2, 77)`);
    return database;
  }

  it("has all of its data afterwards, in one table", () => {
    const database = version4();
    const store = new SqlRunStore(database);
    expect(store.load()).toMatchObject({ id: "run-1", name: "briefing", version: 3 });
    expect(store.value("inputs")).toBe(`{"topic":"tea"}`);
    expect(store.outbox().map((entry) => ({ ...entry }))).toEqual([
      { id: "index", payload: `{"id":"run-1"}`, attempts: 2, dueAtMs: 77 },
    ]);
    expect(store.journal.list(0, 9).map(({ key, state }) => [key, state])).toEqual([
      ["task:a", "started"],
      ["task:a/turn:1/llm", "done"],
      ["task:a/turn:1/tool:x#0", "done"],
      ["task:a/turn:2/llm", "started"],
      ["ask", "waiting"],
    ]);
    expect(store.journal.get("task:a/turn:1/llm")).toMatchObject({
      value: `{"text":"short"}`,
      request: `{"messages":[]}`,
      call: { model: "openai/x" },
      usage: { requests: 1, totalTokens: 7, costUsd: 0 },
    });
    expect(store.journal.get("task:a/turn:1/tool:x#0")?.value).toHaveLength(PIECE + 2);
    expect(store.journal.waits().map(({ key, wait }) => [key, wait?.prompt])).toEqual([
      ["ask", "Well?"],
    ]);
    expect([store.journal.lastSeq(), store.events.lastSeq()]).toEqual([102, 2]);
    expect([...store.events.ids()]).toEqual(["run_started", "task:a:task_started"]);
    expect(tablesOf(database)).toEqual(["schema_version"]);
  });

  it("continues from there, and is found so again", () => {
    const database = version4();
    const store = new SqlRunStore(database);
    const row = store.journal.get("task:a/turn:2/llm");
    if (row === undefined) throw new Error("the row is lost");
    const ended = { ...row, state: "done", endedSeq: 110, endedAtMs: 9, value: "1" } as const;
    store.journal.put(ended);
    store.commit();
    expect(new SqlRunStore(database).journal.get(row.key)).toEqual(ended);
    expect(new SqlRunStore(database).journal.count()).toBe(5);
  });

  it("keeps its tables when the migration fails", () => {
    const database = version4();
    const failing: SqlDatabase = {
      exec: (query, ...bindings) => {
        if (query.startsWith("DROP TABLE outbox")) throw new Error("the disk is full");
        return database.exec(query, ...bindings);
      },
      transaction: (change) => database.transaction(change),
    };
    expect(() => new SqlRunStore(failing).load()).toThrow("the disk is full");
    expect(tablesOf(database)).toContain("steps");
    expect(new SqlRunStore(database).load()).toMatchObject({ id: "run-1" });
  });
});

function tablesOf(database: SqlDatabase): readonly unknown[] {
  const query = `SELECT name FROM sqlite_master WHERE type = 'table'`;
  return Array.from(database.exec(query), ({ name }) => name);
}
