// The storage of a Durable Object, as a run's host uses it. What it throws is the platform's fault, and is marked as such here.
import { PlatformFault } from "../../base/platform-fault.ts";
import type { AlarmSlot } from "../../runtime/run-host.ts";
import type { SqlDatabase, SqlValue } from "./sql-database.ts";

/** The part of `DurableObjectStorage` that holds a run's rows. */
export type SqlStorageOwner = {
  readonly sql: {
    exec(query: string, ...bindings: SqlValue[]): { toArray(): Record<string, unknown>[] };
  };
  transactionSync(change: () => void): void;
};

/** Every error of the storage becomes a `PlatformFault`; one that a transaction's own code throws passes as it is. */
export function databaseOf(storage: SqlStorageOwner): SqlDatabase {
  return {
    exec(query, ...bindings) {
      try {
        return storage.sql.exec(query, ...bindings).toArray();
      } catch (cause) {
        throw new PlatformFault(cause);
      }
    },
    transaction(change) {
      let undone: { readonly error: unknown } | undefined;
      try {
        storage.transactionSync(() => {
          try {
            change();
          } catch (error) {
            undone = { error };
            throw error;
          }
        });
      } catch (cause) {
        throw undone === undefined ? new PlatformFault(cause) : undone.error;
      }
    },
  };
}

/** The part of `DurableObjectStorage` that is its alarm. */
export type AlarmOwner = {
  getAlarm(): Promise<number | null>;
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
};

export function alarmOf(storage: AlarmOwner): AlarmSlot {
  return {
    get: () => guarded(storage.getAlarm()),
    set: (atMs) => guarded(storage.setAlarm(atMs)),
    delete: () => guarded(storage.deleteAlarm()),
  };
}

function guarded<T>(call: Promise<T>): Promise<T> {
  return call.catch((cause: unknown) => {
    throw new PlatformFault(cause);
  });
}
