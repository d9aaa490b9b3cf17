// A run in the SQLite of its Durable Object. The layout of its table is in docs/design/storage.md.
//
//   SRS1. All writes of one turn of the object form one row, unless they are too long for one.
//   SRS2. A write is in memory immediately, and in the table by the end of the turn: the platform sends no output of a
//         turn before the turn is stored. `commit` writes immediately and throws if the storage fails. A failed commit
//         keeps all changes for the next one.
//   SRS3. A transaction is written before it ends. If the write fails, the transaction has no effect.
//   SRS4. Summaries of rows are in memory. Results and payloads are read on demand.
//   SRS5. Reading a run that was never started writes no rows.
//   SRS6. A lazy removal has no row of its own. It is written together with the next write.
import { EngineError } from "../../base/error.ts";
import { PlatformFault } from "../../base/platform-fault.ts";
import type { EventStore } from "../../events/event-log.ts";
import type { JournalStore } from "../../journal/journal-store.ts";
import type { OutboxEntry, RunStore } from "../../runtime/run-store.ts";
import type { RunRecord } from "../../runtime/run.ts";
import { CommitLog, LAYOUT, newText, type KeptText } from "./commit-log.ts";
import { bringOver } from "./old-run-tables.ts";
import { RunState } from "./run-state.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { SqlEventStore } from "./sql-event-store.ts";
import { SqlJournalStore } from "./sql-journal-store.ts";

/** Exceeds the number of turns that follow from one result; see J4. */
const SETTLING_TURNS = 256;
/** Maximum length of unwritten changes in memory, in UTF-16 units. */
const MAX_UNWRITTEN = 512 * 1024;

const NOW = Promise.resolve();

export class SqlRunStore implements RunStore {
  readonly journal: JournalStore;
  readonly events: EventStore;
  readonly #sql: SqlDatabase;
  readonly #log: CommitLog;
  #state: RunState | undefined;
  #isInTransaction = false;
  /** Turns of the microtask queue since the last change; undefined while there are no unwritten changes. */
  #quietTurns: number | undefined;
  #isClosed = false;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
    this.#log = new CommitLog(sql);
    const access = {
      log: this.#log,
      read: () => this.#read(),
      write: (change: (state: RunState) => void) => this.#write(change),
      commit: () => this.commit(),
    };
    this.journal = new SqlJournalStore(access);
    this.events = new SqlEventStore(access);
  }

  load(): RunRecord | undefined {
    return this.#read().record;
  }

  save(record: RunRecord): void {
    this.#write((state) => state.setRecord(record));
  }

  value(name: string): string | undefined {
    const text = this.#read().texts.get(name);
    return text === undefined ? undefined : this.#log.read(text);
  }

  setValue(name: string, json: string): void {
    this.#write((state) => state.setText(name, newText(json)));
  }

  outbox(): readonly OutboxEntry[] {
    const log = this.#log;
    return Array.from(this.#read().outbox, ([id, { attempts, dueAtMs, payload }]) => ({
      id,
      attempts,
      dueAtMs,
      get payload(): string {
        return log.read(payload);
      },
    })).toSorted((a, b) => a.dueAtMs - b.dueAtMs || (a.id < b.id ? -1 : 1));
  }

  putOutbox({ id, payload, attempts, dueAtMs }: OutboxEntry): void {
    const known = this.#read().outbox.get(id)?.payload;
    const isSame = known !== undefined && this.#log.read(known) === payload;
    const text: KeptText = isSame ? known : newText(payload);
    this.#write((state) => state.setOutbox(id, { attempts, dueAtMs, payload: text }));
  }

  removeOutbox({ id, payload }: OutboxEntry, { lazily = false } = {}): void {
    const known = this.#read().outbox.get(id)?.payload;
    if (known === undefined || this.#log.read(known) !== payload) return;
    if (lazily && !this.#isClosed) this.#read().setOutbox(id, undefined);
    else this.#write((state) => state.setOutbox(id, undefined));
  }

  transaction(change: () => void): void {
    if (this.#isInTransaction) return change();
    this.#read().change(() => {
      this.#isInTransaction = true;
      try {
        change();
      } finally {
        this.#isInTransaction = false;
      }
      this.commit();
    });
  }

  commit(): void {
    const state = this.#state;
    if (state === undefined || this.#isInTransaction || this.#isClosed || !state.isDirty) return;
    const changes = state.changes();
    if (changes.length > 0) this.#log.append(changes);
    state.written();
  }

  /** Discards unwritten changes permanently. Another instance takes over the storage. */
  close(): void {
    this.#isClosed = true;
  }

  /** Drops all tables. */
  clear(): void {
    const tables = [
      ...this.#sql.exec(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'`,
      ),
    ];
    this.#sql.transaction(() => {
      for (const { name } of tables) this.#sql.exec(`DROP TABLE "${String(name)}"`);
    });
    this.#state = undefined;
    this.#log.forget();
  }

  #read(): RunState {
    return (this.#state ??= this.#open());
  }

  #open(): RunState {
    const version = this.#log.version();
    if (version === 0) return new RunState();
    if (version > LAYOUT)
      throw new EngineError(
        "internal",
        `the run was written by a newer version (schema ${version}, this code knows ${LAYOUT})`,
      );
    if (version < LAYOUT) bringOver(this.#sql, version);
    return RunState.read(this.#log);
  }

  #write(change: (state: RunState) => void): void {
    if (this.#isClosed) throw new PlatformFault("the storage of the run is in other hands");
    const state = this.#read();
    change(state);
    if (this.#isInTransaction) return;
    if (state.unwritten > MAX_UNWRITTEN) return this.commit();
    if (this.#quietTurns === undefined) {
      this.#log.open();
      void this.#commitSoon();
    }
    this.#quietTurns = 0;
  }

  /** Writes the changes of this turn once its code makes no further changes. */
  async #commitSoon(): Promise<void> {
    for (
      this.#quietTurns = 0;
      this.#quietTurns < SETTLING_TURNS && this.#state?.isDirty === true;
      this.#quietTurns++
    )
      await NOW;
    this.#quietTurns = undefined;
    try {
      this.commit();
    } catch {
      // The changes stay for the next commit. No output depends on them yet, as output is committed before it is sent.
    }
  }
}
