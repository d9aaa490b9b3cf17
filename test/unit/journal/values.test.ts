import { describe, expect, it } from "vitest";
import { SqlRunStore } from "../../../src/cloudflare/runs/sql-run-store.ts";
import { doneRow, drive, perform } from "../../support/journal-harness.ts";
import { RUN_STORES, sqliteInMemory } from "../../support/run-stores.ts";
import { computedMs } from "../../support/computed-ms.ts";

/** Where `SqlRunStore` cuts long texts, in UTF-16 units. */
const PIECE = 256 * 1024;

describe.each(RUN_STORES)("values, $name", ({ open }) => {
  it.each([
    null,
    true,
    0,
    -1.5,
    "",
    "text",
    [],
    {},
    { a: [1, { b: null }] },
    "\u0000\u2028\ufeff",
    "\ud800 alone",
  ])("come back as they went: %j", async (value) => {
    const fixture = open();
    await drive(fixture.store.journal, (scope) => perform(scope, "a", () => value));
    expect(
      await drive(fixture.reopen().journal, (scope) => perform(scope, "a", () => "not this")),
    ).toEqual({ state: "completed", value });
  });

  it("is undefined again when the action returned undefined", async () => {
    const { journal } = open().store;
    const program = (seen: unknown[]) =>
      drive(
        journal,
        async (scope) => (seen.push(await perform<unknown>(scope, "a", () => undefined)), null),
      );
    const seen: unknown[] = [];
    await program(seen);
    await program(seen);
    expect(seen).toEqual([undefined, undefined]);
    expect(journal.get("a")).toMatchObject({ state: "done", value: null });
  });

  it("fail the step with output_invalid when they cannot be stored", async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    for (const value of [circular, () => 1]) {
      expect(
        await drive(
          open().store.journal,
          async (scope) => (await perform<unknown>(scope, "a", () => value), null),
        ),
      ).toMatchObject({
        state: "failed",
        error: { code: "output_invalid", message: expect.stringContaining("step a") },
      });
    }
  });

  it.each([PIECE - 3, PIECE - 2, PIECE - 1, PIECE, 2 * PIECE - 2, 2 * PIECE - 1, 2 * PIECE])(
    "of %i characters come back whole",
    (length) => {
      const fixture = open();
      const value = JSON.stringify("x".repeat(length));
      fixture.store.journal.put(doneRow("a", 1, { value }));
      expect(fixture.reopen().journal.get("a")?.value === value).toBe(true);
    },
  );

  it("keep surrogate pairs whole wherever they are cut", () => {
    for (const lead of [0, 1]) {
      const fixture = open();
      const value = `"${"x".repeat(lead)}${"💡".repeat(1.5 * PIECE)}"`;
      fixture.store.journal.put(doneRow("a", 1, { value }));
      fixture.store.setValue("output", value);
      expect(fixture.reopen().journal.get("a")?.value === value).toBe(true);
      expect(fixture.reopen().value("output") === value).toBe(true);
    }
  });

  it("keep every unit when only a surrogate pair is split", () => {
    const value = `"${"x".repeat(PIECE - 2)}💡${"y".repeat(PIECE - 3)}💡${"z".repeat(10)}"`;
    const fixture = open();
    fixture.store.journal.put(doneRow("a", 1, { value }));
    expect(fixture.reopen().journal.get("a")?.value === value).toBe(true);
  });

  it("of 5 MB pass through a step and its replay, and an overview shows only their size", async () => {
    const fixture = open();
    const large = "0123456789".repeat(500_000);
    await drive(fixture.store.journal, (scope) => perform(scope, "tool", () => large));
    const again = await drive(fixture.reopen().journal, (scope) =>
      perform(scope, "tool", () => "not this"),
    );
    expect(again.state === "completed" && again.value === large).toBe(true);
    const [summary] = fixture.reopen().journal.list(0, 10);
    expect(summary?.bytes).toBe(large.length + 2);
    expect(summary).not.toHaveProperty("value");
  });

  it("of 5 MB make later steps no slower", async () => {
    const fixture = open();
    const large = "0123456789".repeat(500_000);
    const result = await drive(fixture.store.journal, async (scope) => {
      await perform(scope, "tool", () => large);
      const startMs = computedMs();
      for (let n = 0; n < 200; n++) await perform(scope, `s:${n}`, () => n);
      return computedMs() - startMs;
    });
    expect(result.state === "completed" && Number(result.value)).toBeLessThan(2000);
  });

  it("of the run itself can be replaced by shorter and by longer ones", () => {
    const fixture = open();
    const [short, middle, long] = [
      `"s"`,
      JSON.stringify("m".repeat(PIECE + 10)),
      JSON.stringify("l".repeat(3 * PIECE)),
    ];
    let { store } = fixture;
    for (const value of [short, long, middle, short, middle, long]) {
      store.setValue("output", value);
      store = fixture.reopen();
      expect(store.value("output") === value).toBe(true);
    }
  });
});

describe("the schema of a run in SQLite", () => {
  it("is not made by reading", () => {
    const database = sqliteInMemory();
    const store = new SqlRunStore(database);
    expect([
      store.load(),
      store.value("output"),
      store.outbox(),
      store.journal.get("a"),
      store.journal.list(0, 9),
      store.journal.waits(),
    ]).toEqual([undefined, undefined, [], undefined, [], []]);
    expect([
      store.journal.count(),
      store.journal.lastSeq(),
      store.events.lastSeq(),
      [...store.events.ids()],
      store.events.read(0, 9),
    ]).toEqual([0, 0, 0, [], []]);
    expect([...database.exec("SELECT name FROM sqlite_master")]).toEqual([]);
  });

  it("is made again when the first write was undone", () => {
    const store = new SqlRunStore(sqliteInMemory());
    expect(() =>
      store.transaction(() => {
        store.setValue("inputs", "{}");
        throw new Error("undo");
      }),
    ).toThrow("undo");
    store.setValue("inputs", `{"topic":"x"}`);
    expect(store.value("inputs")).toBe(`{"topic":"x"}`);
  });

  it("of a newer version is refused with both version numbers", () => {
    const database = sqliteInMemory();
    const store = new SqlRunStore(database);
    store.setValue("inputs", "{}");
    store.commit();
    database.exec("UPDATE schema_version SET version = 99");
    expect(() => new SqlRunStore(database).load()).toThrow(
      /newer version \(schema 99, this code knows \d+\)/,
    );
  });
});
