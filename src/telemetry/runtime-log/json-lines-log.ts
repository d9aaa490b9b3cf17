import type { LogSink } from "./log-row.ts";

/**
 * Writes a runtime log as JSON lines: an object with `table` and the columns of the row. `write` receives whole lines, and
 * may receive the same again after a crash, with the same ids.
 */
export function jsonLinesLog(write: (lines: string) => unknown): LogSink {
  return {
    write: (rows) =>
      write(rows.map(({ table, values }) => `${JSON.stringify({ table, ...values })}\n`).join("")),
  };
}
