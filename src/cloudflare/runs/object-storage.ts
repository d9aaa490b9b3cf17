// Storage of a Durable Object, as used by a run's host. Its errors are the platform's fault and are marked as such
// here.
import { PlatformFault } from "../../base/platform-fault.ts";
import type { AlarmSlot } from "../../runtime/run-host.ts";
import type { SqlDatabase, SqlValue } from "./sql-database.ts";

/** Part of `DurableObjectStorage` with a run's rows. */
export type SqlStorageOwner = {
  readonly sql: {
    exec(query: string, ...bindings: SqlValue[]): { toArray(): Record<string, unknown>[] };
  };
  transactionSync(change: () => void): void;
};

/** Wraps the storage: its errors become `PlatformFault`. Errors from a transaction's own code stay unchanged. */
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

/** Part of `DurableObjectStorage` for its alarm. */
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
