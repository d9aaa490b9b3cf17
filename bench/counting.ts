// Counts what the platform bills while the code runs as it is: rows of objects and of D1, alarms, requests.

import type { Counts } from "./counts.ts";

/** Of this isolate, in which the Worker and its objects live side by side. */
export const counts: Counts = { written: {}, read: {}, requests: 0 };

export function clearCounts(): void {
  for (const rows of [counts.written, counts.read])
    for (const name of Object.keys(rows)) delete rows[name];
  counts.requests = 0;
}

function note(name: string, { read, written }: { read: number; written: number }): void {
  if (name.includes("__miniflare")) return; // of the local runtime alone
  if (written > 0) counts.written[name] = (counts.written[name] ?? 0) + written;
  if (read > 0) counts.read[name] = (counts.read[name] ?? 0) + read;
}

/** `object INSERT steps`, and for reading `object SELECT steps`. */
function nameOf(place: string, query: string): string {
  const [verb = ""] = query.trim().split(/\s/, 1);
  const [, table = ""] =
    /\b(?:INTO|FROM|UPDATE|TABLE|INDEX)\s+(?:IF NOT EXISTS\s+)?"?(\w+)/i.exec(query) ?? [];
  return `${place} ${verb.toUpperCase()} ${table}`;
}

/** Counts what this object does from now on. */
export function countStorage(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  Object.defineProperty(sql, "exec", {
    value: (query: string, ...bindings: SqlStorageValue[]) => {
      const cursor = exec(query, ...bindings);
      const rows = cursor.toArray();
      const name = nameOf("object", query);
      note(name, { read: cursor.rowsRead, written: cursor.rowsWritten });
      return {
        toArray: () => rows,
        [Symbol.iterator]: () => rows[Symbol.iterator](),
        rowsRead: cursor.rowsRead,
        rowsWritten: cursor.rowsWritten,
      };
    },
  });
  const setAlarm = storage.setAlarm.bind(storage);
  const deleteAlarm = storage.deleteAlarm.bind(storage);
  Object.defineProperties(storage, {
    setAlarm: {
      value: (at: number | Date) => {
        note("object alarm set", { read: 0, written: 1 });
        return setAlarm(at);
      },
    },
    deleteAlarm: {
      value: () => {
        note("object alarm deleted", { read: 0, written: 1 });
        return deleteAlarm();
      },
    },
  });
}

/** Counts a statement by D1's own figures. */
function countResult(
  query: string,
  { meta }: { readonly meta: { rows_read?: number; rows_written?: number } },
): void {
  note(nameOf("D1", query), { read: meta.rows_read ?? 0, written: meta.rows_written ?? 0 });
}

/** The database, with every statement counted by D1's own figures. */
export function countedDatabase(db: D1Database): D1Database {
  const queries = new WeakMap<object, string>();
  const inner = new WeakMap<object, D1PreparedStatement>();
  const wrap = (query: string, statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(query, statement.bind(...values)),
      run: async () => {
        const result = await statement.run();
        countResult(query, result);
        return result;
      },
      all: async () => {
        const result = await statement.all();
        countResult(query, result);
        return result;
      },
      first: async (column?: string) => {
        const result = await statement.all();
        countResult(query, result);
        const [row] = result.results;
        return column === undefined ? (row ?? null) : (row?.[column] ?? null);
      },
      raw: (options?: { columnNames?: false }) => statement.raw(options),
    } as unknown as D1PreparedStatement;
    queries.set(wrapped, query);
    inner.set(wrapped, statement);
    return wrapped;
  };
  return {
    prepare: (query: string) => wrap(query, db.prepare(query)),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await db.batch(statements.map((each) => inner.get(each) ?? each));
      for (const [at, result] of results.entries())
        countResult(queries.get(statements[at] ?? {}) ?? "", result);
      return results;
    },
    exec: (query: string) => db.exec(query),
  } as unknown as D1Database;
}

type RunClass = new (ctx: DurableObjectState, env: never) => object;

/** An app's handler and its class of runs, with everything counted. */
export function countedWorker<Class extends RunClass>(
  app: object,
  Plain: Class,
): { readonly CrewRun: Class; readonly handler: ExportedHandler } {
  class CrewRun extends (Plain as RunClass) {
    constructor(ctx: DurableObjectState, env: { readonly DB: D1Database }) {
      countStorage(ctx.storage);
      super(ctx, { ...env, DB: countedDatabase(env.DB) } as never);
    }

    alarm(): Promise<void> {
      counts.requests++;
      return (Plain.prototype as { alarm(): Promise<void> }).alarm.call(this);
    }

    call(...call: unknown[]): unknown {
      counts.requests++;
      return (Plain.prototype as { call(...call: unknown[]): unknown }).call.apply(this, call);
    }
  }
  type Fetch = (request: Request, env: object, context: object) => Response;
  const { fetch } = app as { readonly fetch: Fetch };
  return {
    CrewRun: CrewRun as unknown as Class,
    handler: {
      ...app,
      fetch(request, env, context) {
        const { pathname } = new URL(request.url);
        if (pathname === "/counts") return Response.json(counts);
        if (pathname === "/counts/clear") {
          clearCounts();
          return new Response();
        }
        const { DB } = env as { readonly DB: D1Database };
        return fetch(request, { ...(env as object), DB: countedDatabase(DB) }, context);
      },
    },
  };
}
