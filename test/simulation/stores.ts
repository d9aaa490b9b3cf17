// What outlives a host: a run's storage, in memory with all-or-nothing transactions, or in node's SQLite.
import { childrenIn, pageOfRows, usageBy } from "../../src/journal/in-memory-rows.ts";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { addUsage, NO_USAGE, type Usage } from "../../src/base/usage.ts";
import type { SqlDatabase, SqlValue } from "../../src/cloudflare/runs/sql-database.ts";
import { SqlRunStore } from "../../src/cloudflare/runs/sql-run-store.ts";
import type { EventStore } from "../../src/events/event-log.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import type { JournalStore, StepRecord, StepSummary } from "../../src/journal/journal-store.ts";
import { overriding } from "./overriding.ts";
import type { RunRecord } from "../../src/runtime/run.ts";
import type { OutboxEntry, RunStore } from "../../src/runtime/run-store.ts";

export type StoreKind = "memory" | "sqlite";

/** The storage of one object. Each host opens it anew. */
export interface Disk {
  open(): RunStore;
  /** All that the last host has written, as it is stored. */
  look(): RunStore;
  close(): void;
}

export function newDisk(kind: StoreKind): Disk {
  return kind === "memory" ? new MemoryDisk() : new SqliteDisk();
}

class MemoryDisk implements Disk {
  readonly #store = new UndoableStore();

  open(): RunStore {
    return this.#store;
  }

  look(): RunStore {
    return this.#store;
  }

  close(): void {
    // Nothing is held.
  }
}

class UndoableStore implements RunStore {
  readonly #rows = new Map<string, StepRecord>();
  readonly #events: RunEvent[] = [];
  readonly #values = new Map<string, string>();
  readonly #outbox = new Map<string, OutboxEntry>();
  #record: RunRecord | undefined;
  #undo: Array<() => void> | undefined;

  readonly journal: JournalStore = {
    get: (key) => this.#rows.get(key),
    put: (record) => this.#set(this.#rows, record.key, record),
    commit: () => undefined,
    list: (afterSeq, limit) => {
      const rows: StepSummary[] = [];
      for (const row of this.#rows.values()) {
        if (row.startedSeq > afterSeq && rows.length < limit) rows.push(summary(row));
      }
      return rows;
    },
    waits: () =>
      [...this.#rows.values()]
        .filter((row) => row.state === "waiting" && row.wait !== null)
        .map(summary),
    count: () => this.#rows.size,
    lastSeq: () => {
      let last = 0;
      for (const row of this.#rows.values())
        last = Math.max(last, row.startedSeq, row.endedSeq ?? 0);
      return last;
    },
    usage: () => {
      let sum: Usage = NO_USAGE;
      for (const { usage } of this.#rows.values()) if (usage !== null) sum = addUsage(sum, usage);
      return sum;
    },
    usageBy: () => usageBy(this.#rows.values()),
    page: (query) => pageOfRows(this.#rows, query).map(summary),
    piece: (key, from, length) => this.#rows.get(key)?.value?.slice(from, from + length) ?? null,
    children: () => childrenIn(this.#rows.values()),
  };

  readonly events: EventStore = {
    append: (event) => {
      this.#undo?.push(() => this.#events.pop());
      this.#events.push(event);
    },
    ids: () => this.#events.map((event) => event.id),
    read: (afterSeq, limit) => this.#events.slice(afterSeq, afterSeq + limit),
    readBack: (beforeSeq, limit) =>
      this.#events
        .slice(0, beforeSeq - 1)
        .toReversed()
        .slice(0, limit),
    lastSeq: () => this.#events.length,
  };

  load(): RunRecord | undefined {
    return this.#record;
  }

  save(record: RunRecord): void {
    const before = this.#record;
    this.#undo?.push(() => (this.#record = before));
    this.#record = record;
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  setValue(name: string, json: string): void {
    this.#set(this.#values, name, json);
  }

  outbox(): readonly OutboxEntry[] {
    return [...this.#outbox.values()];
  }

  putOutbox(entry: OutboxEntry): void {
    this.#set(this.#outbox, entry.id, entry);
  }

  removeOutbox(entry: OutboxEntry): void {
    if (this.#outbox.get(entry.id)?.payload !== entry.payload) return;
    this.#undo?.push(() => this.#outbox.set(entry.id, entry));
    this.#outbox.delete(entry.id);
  }

  transaction(change: () => void): void {
    if (this.#undo !== undefined) return change();
    this.#undo = [];
    try {
      change();
    } catch (error) {
      for (const undo of this.#undo.toReversed()) undo();
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  commit(): void {
    // What is in memory is there.
  }

  clear(): void {
    for (const map of [this.#rows, this.#values, this.#outbox]) map.clear();
    this.#events.length = 0;
    this.#record = undefined;
  }

  #set<T>(map: Map<string, T>, key: string, value: T): void {
    if (this.#undo !== undefined) {
      const before = map.get(key);
      this.#undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
    }
    map.set(key, value);
  }
}

function summary(row: StepRecord): StepSummary {
  const { value, request: _, ...rest } = row;
  return { ...rest, bytes: value?.length ?? 0 };
}

class SqliteDisk implements Disk {
  readonly #database = new DatabaseSync(":memory:");
  readonly #sql = new NodeSql(this.#database);
  #last: SqlRunStore | undefined;
  #transactions = 0;

  /** What the last host has written is there, what it still wants to write is not. */
  open(): RunStore {
    this.#last?.commit();
    this.#last?.close();
    const store = new SqlRunStore(this.#sql);
    this.#last = store;
    return overriding<RunStore>(store, {
      transaction: (change) => {
        this.#transactions++;
        try {
          store.transaction(change);
        } finally {
          this.#transactions--;
        }
      },
    });
  }

  /** What a transaction writes is seen while it goes on. */
  look(): RunStore {
    if (this.#transactions > 0 && this.#last !== undefined) return this.#last;
    this.#last?.commit();
    return new SqlRunStore(this.#sql);
  }

  close(): void {
    this.#database.close();
  }
}

class NodeSql implements SqlDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  exec(query: string, ...bindings: SqlValue[]): Iterable<Record<string, unknown>> {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#database.prepare(query);
      this.#statements.set(query, statement);
    }
    return statement.all(...bindings);
  }

  transaction(change: () => void): void {
    const name = `level${this.#depth++}`;
    this.#database.exec(`SAVEPOINT ${name}`);
    try {
      change();
      this.#database.exec(`RELEASE ${name}`);
    } catch (error) {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth--;
    }
  }
}
