// The table of a run's object (docs/design/storage.md): what a turn writes is one row, and is read back as it was written.
import { describe, expect, it } from "vitest";
import type { SqlDatabase } from "../../../src/cloudflare/runs/sql-database.ts";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import { newRow } from "../../../src/journal/step-row.ts";
import type { StepRecord } from "../../../src/journal/journal-store.ts";
import type { RunEvent } from "../../../src/events/run-event.ts";
import { sqliteInMemory } from "../../support/run-stores.ts";
import { computedMs } from "../../support/computed-ms.ts";

/** A database that counts its inserts, and refuses them while `isFull`. */
function countedDatabase(): SqlDatabase & { inserts: number; isFull: boolean } {
  const database = sqliteInMemory();
  const counted = {
    inserts: 0,
    isFull: false,
    exec: (query: string, ...bindings: (string | number | null)[]) => {
      if (query.startsWith("INSERT")) {
        if (counted.isFull) throw new Error("the disk is full");
        counted.inserts++;
      }
      return database.exec(query, ...bindings);
    },
    transaction: (change: () => void) => database.transaction(change),
  };
  return counted;
}

function step(seq: number, fields: Partial<StepRecord> = {}): StepRecord {
  return {
    ...newRow(`step:${seq}`, "effect", { parent: null, startedSeq: seq, startedAtMs: seq }),
    state: "done",
    endedSeq: seq,
    endedAtMs: seq,
    value: JSON.stringify(`result ${seq}`),
    ...fields,
  };
}

function event(seq: number): RunEvent {
  return { seq, id: `e${seq}`, type: "run_resumed", at: "", runId: "r", path: "" };
}

const turnOver = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("a run's storage", () => {
  it("SRS1: writes all changes of a turn as one row", async () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    for (let turn = 1; turn <= 3; turn++) {
      store.journal.put(step(10 * turn, { state: "started", value: null, endedSeq: null }));
      await Promise.resolve();
      store.journal.put(step(10 * turn));
      for (const seq of [1, 2]) store.events.append(event(2 * (turn - 1) + seq));
      store.setValue("note", String(turn));
      store.putOutbox({ id: "index", payload: "{}", attempts: turn, dueAtMs: 0 });
      await turnOver();
      expect(database.inserts).toBe(turn);
    }
    const again = new SqlRunStore(database);
    expect(again.journal.list(0, 9)).toEqual(store.journal.list(0, 9));
    expect(again.journal.get("step:20")).toEqual(step(20));
    expect(again.events.read(0, 9)).toEqual([1, 2, 3, 4, 5, 6].map(event));
    expect(again.value("note")).toBe("3");
    expect(again.outbox().map(({ attempts }) => attempts)).toEqual([3]);
  });

  it("SRS2: a failed commit throws, and the next one writes its changes", async () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    store.setValue("first", "1");
    store.commit();
    database.isFull = true;
    store.setValue("second", "2");
    expect(() => store.commit()).toThrow("the disk is full");
    await turnOver(); // nor does the end of the turn write it
    expect(new SqlRunStore(database).value("second")).toBeUndefined();
    database.isFull = false;
    store.setValue("third", "3");
    store.commit();
    const again = new SqlRunStore(database);
    expect(["first", "second", "third"].map((name) => again.value(name))).toEqual(["1", "2", "3"]);
  });

  it("SRS6: a lazy removal is written with the next change, and by a commit", async () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    const entry = { id: "index", payload: "{}", attempts: 0, dueAtMs: 0 };
    const kept = (): number => new SqlRunStore(database).outbox().length;
    for (const write of [() => store.setValue("note", "1"), () => store.commit()]) {
      store.putOutbox(entry);
      await turnOver();
      const { inserts } = database;
      store.removeOutbox(entry, { lazily: true });
      await turnOver();
      expect([database.inserts, store.outbox().length, kept()]).toEqual([inserts, 0, 1]);
      write();
      await turnOver();
      expect([database.inserts, kept()]).toEqual([inserts + 1, 0]);
    }
  });

  it("SRS3: a failed transaction changes no value, and earlier changes stay", () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    store.journal.put(step(1));
    database.isFull = true;
    expect(() =>
      store.transaction(() => {
        store.journal.put(step(1, { value: `"other"` }));
        store.journal.put(step(2));
        store.events.append(event(1));
        store.putOutbox({ id: "index", payload: "{}", attempts: 0, dueAtMs: 0 });
      }),
    ).toThrow("the disk is full");
    database.isFull = false;
    store.commit();
    for (const each of [store, new SqlRunStore(database)]) {
      expect(each.journal.list(0, 9).map(({ key }) => key)).toEqual(["step:1"]);
      expect(each.journal.get("step:1")?.value).toBe(`"result 1"`);
      expect([each.events.lastSeq(), each.outbox(), each.journal.lastSeq()]).toEqual([0, [], 1]);
    }
  });

  it("SRS4: 5,000 results of 20 kB are replayed in two seconds, with at most 40 MB of memory", () => {
    const database = sqliteInMemory();
    const store = new SqlRunStore(database);
    const text = "x".repeat(20_000);
    for (let seq = 1; seq <= 5_000; seq++) {
      store.journal.put(step(seq, { value: JSON.stringify(`${seq} ${text}`) }));
      store.events.append(event(seq));
      store.commit();
    }
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const beganMs = computedMs();
    const again = new SqlRunStore(database);
    let length = 0;
    for (const { key } of again.journal.list(0, 5_000))
      length += again.journal.get(key)?.value?.length ?? 0;
    expect(computedMs() - beganMs).toBeLessThan(2_000);
    expect(length).toBeGreaterThan(100_000_000);
    globalThis.gc?.();
    const heldMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    expect(globalThis.gc === undefined ? 0 : heldMb).toBeLessThan(40);
    expect(again.journal.count()).toBe(5_000);
  });

  it("SRS5: an object that was never started is read without a trace", () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    expect([store.load(), store.value("inputs"), store.outbox()]).toEqual([
      undefined,
      undefined,
      [],
    ]);
    store.commit();
    expect([...database.exec("SELECT name FROM sqlite_master")]).toEqual([]);
  });

  it("keeps texts of any length, in rows of at most 256 Ki characters", () => {
    const database = sqliteInMemory();
    const store = new SqlRunStore(database);
    const long = JSON.stringify("a😀".repeat(400_000));
    const middle = JSON.stringify("m".repeat(120_000));
    store.transaction(() => {
      store.journal.put(step(1, { value: long, request: middle }));
      store.journal.put(step(2, { value: middle, request: middle }));
      store.setValue("output", long);
    });
    for (const each of [store, new SqlRunStore(database)]) {
      const row = each.journal.get("step:1");
      expect([row?.value === long, row?.request === middle]).toEqual([true, true]);
      expect(each.journal.get("step:2")?.request === middle).toBe(true);
      expect(each.value("output") === long).toBe(true);
      expect(each.journal.piece("step:1", 300_000, 600_000)).toBe(long.slice(300_000, 900_000));
    }
    for (const { length } of database.exec("SELECT LENGTH(body) AS length FROM schema_version"))
      expect(Number(length ?? 0)).toBeLessThanOrEqual(256 * 1024);
  });

  it("has at most one row for each method of a flow, and none for values written twice in a turn", async () => {
    const database = countedDatabase();
    const store = new SqlRunStore(database);
    for (let seq = 1; seq <= 100; seq++) {
      store.journal.put(step(seq, { kind: "method", state: "started", value: null }));
      for (let turn = 0; turn < 100; turn++) await Promise.resolve();
      store.journal.put(step(seq, { kind: "method" }));
    }
    await turnOver();
    expect(database.inserts).toBeLessThanOrEqual(100);
  });
});
