import { describe, expect, it } from "vitest";
import { PlatformFault } from "../../../../src/base/platform-fault.ts";
import {
  alarmOf,
  databaseOf,
  type SqlStorageOwner,
} from "../../../../src/cloudflare/runs/object-storage.ts";

const lost = new Error("Network connection lost.");

function storage(overrides: Partial<SqlStorageOwner> = {}): SqlStorageOwner {
  return {
    sql: { exec: (query) => ({ toArray: () => [{ query }] }) },
    transactionSync: (change) => change(),
    ...overrides,
  };
}

function thrownBy(code: () => unknown): unknown {
  try {
    code();
  } catch (error) {
    return error;
  }
  throw new Error("expected an error");
}

describe("the storage of a Durable Object", () => {
  it("returns rows", () => {
    expect([...databaseOf(storage()).exec("SELECT 1")]).toEqual([{ query: "SELECT 1" }]);
  });

  it.each([
    [
      "at a query",
      () => {
        throw lost;
      },
    ],
    [
      "while rows are read",
      () => ({
        toArray: () => {
          throw lost;
        },
      }),
    ],
  ])("marks errors %s as faults of the platform", (_, exec) => {
    const database = databaseOf(storage({ sql: { exec } }));
    const fault = thrownBy(() => database.exec("SELECT 1"));
    expect(PlatformFault.is(fault)).toBe(true);
    expect(fault).toMatchObject({ message: "Network connection lost.", cause: lost });
  });

  it("marks a failed commit", () => {
    const database = databaseOf(
      storage({
        transactionSync: (change) => {
          change();
          throw lost;
        },
      }),
    );
    expect(PlatformFault.is(thrownBy(() => database.transaction(() => {})))).toBe(true);
  });

  it("passes on errors from the code of a transaction", () => {
    const own = new Error("Network connection lost.");
    const thrown = thrownBy(() =>
      databaseOf(storage()).transaction(() => {
        throw own;
      }),
    );
    expect(thrown).toBe(own);
  });

  it("marks a failed read or write of an alarm", async () => {
    const fails = (): Promise<never> => Promise.reject(lost);
    const alarm = alarmOf({ getAlarm: fails, setAlarm: fails, deleteAlarm: fails });
    const errors = await Promise.allSettled([alarm.get(), alarm.set(1), alarm.delete()]);
    for (const error of errors)
      expect(error).toMatchObject({ status: "rejected", reason: { name: "PlatformFault" } });
  });
});
