// One statement of a model, in a database.
//
//   SQX1. A write is a separate step, which no crash repeats, and is never concurrent with other writes of its run.
//   SQX2. An error of the database about a statement is a failure for the model, without secrets of the address.
import { EngineError, errorMessage } from "../../../base/error.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { RunServices } from "../../../events/run-services.ts";
import { toolResult, type ToolResult } from "../../tool-result.ts";
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";
import type { Connection } from "./connection.ts";
import type { SqlDatabase, SqlLimits } from "./database.ts";
import { resultTable, rowObjects } from "./result-table.ts";
import type { SqlStatement } from "./sql-guard.ts";

const MAX_ROWS = 500;
const TIMEOUT_MS = 30_000;
/** Extra time, so the database itself can end a statement first. */
const GRACE_MS = 5_000;

/** Reads or writes rows. */
export async function runStatement(
  io: ToolIo,
  connection: Connection,
  statement: SqlStatement,
): Promise<ToolResult> {
  const untrusted = [connection.place];
  const { services, scope } = io;
  const call = { signal: io.context.signal, services, scope };
  if (!statement.isRead) {
    const changed = await alone(io, () =>
      io.context.step(
        "statement",
        () => inDatabase(call, connection, (database, limits) => database.write(statement, limits)),
        { effect: "once" },
      ),
    );
    return toolResult({ text: JSON.stringify({ changed }), data: { changed } });
  }
  const rows = await inDatabase(call, connection, (database, limits) =>
    database.read(statement, limits),
  );
  const data = { rows: rowObjects(rows) };
  return toolResult({ text: resultTable(rows), data, untrusted });
}

export type DatabaseCall = {
  readonly signal: AbortSignal;
  readonly services: RunServices;
  readonly scope: RunScope;
};

/** Works with an open database within a time limit, and turns its errors into failures. */
export async function inDatabase<T>(
  { signal, services, scope }: DatabaseCall,
  connection: Connection,
  work: (database: SqlDatabase, limits: SqlLimits) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const late = serviceFailure({
    code: "timeout",
    message: `The database gave no answer in ${TIMEOUT_MS / 1000} s.`,
  });
  const abort = (): void => stop.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  const cancel = scope.clock.after(TIMEOUT_MS + GRACE_MS, () => stop.abort(late));
  let database: SqlDatabase | undefined;
  try {
    const stopped = new Promise<never>((_, reject) => {
      const fail = (): void => reject(stop.signal.reason as Error);
      if (stop.signal.aborted) fail();
      stop.signal.addEventListener("abort", fail, { once: true });
    });
    const working = (async () => {
      database = await connection.open(services);
      const limits = { maxRows: MAX_ROWS, timeoutMs: TIMEOUT_MS, signal: stop.signal };
      return work(database, limits);
    })();
    return await Promise.race([working, stopped]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (EngineError.is(error)) throw error;
    throw failureOf(error, connection.masked(errorMessage(error), services));
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
    void database?.close().catch(() => undefined);
  }
}

/** Database error codes of timeouts and of rejected writes. */
const TIMED_OUT = new Set([
  "57014",
  "ER_QUERY_TIMEOUT",
  "ER_STATEMENT_TIMEOUT",
  "ER_QUERY_INTERRUPTED",
]);
const READ_ONLY = new Set(["25006", "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION"]);
const UNREACHABLE =
  /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|CONNECT_TIMEOUT|CONNECTION_\w+|PROTOCOL_CONNECTION_LOST|57P0\d|08\w{3}|53300)$/;

function failureOf(error: unknown, said: string): EngineError {
  const code = codeOf(error);
  const words = said.replace(/^D1_ERROR: /, "").slice(0, 500) || code;
  if (READ_ONLY.has(code))
    return serviceFailure({ code: "refused", message: `This tool only reads: ${words}` });
  if (TIMED_OUT.has(code))
    return serviceFailure({
      code: "timeout",
      message: `The database ended the statement after ${TIMEOUT_MS / 1000} s.`,
    });
  if (UNREACHABLE.test(code))
    return serviceFailure({
      code: "unavailable",
      message: `The database could not be reached: ${words}`,
      retryable: true,
    });
  return serviceFailure({
    code: "bad_request",
    message: `The database did not accept the statement: ${words}`,
  });
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

const queues = new WeakMap<object, Promise<unknown>>();

/** Runs writes one after another. A write with a lost connection is not retried, as its progress is unknown. */
async function alone<T>({ scope }: ToolIo, work: () => Promise<T>): Promise<T> {
  const before = queues.get(scope.drive) ?? Promise.resolve();
  const turn = before.then(work, work);
  queues.set(
    scope.drive,
    turn.catch(() => undefined),
  );
  try {
    return await turn;
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    throw serviceFailure({ code: error.failureCode ?? "failed", message: error.message });
  }
}
