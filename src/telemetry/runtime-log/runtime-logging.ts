// The listener for a runtime log.
//
//   RLG1. A run is logged each time it rests: when it waits and when it ends. Rows logged again, after a crash or a
//         failure, have the same ids.
//   RLG2. A failed sink is retried, then reported; its rows come with the rows of the run's next rest. The run
//         continues.
//   RLG3. No sink receives a credential, nor a text of more than `MAX_TEXT` characters.
import { sleep } from "../../base/clock.ts";
import { cut } from "../../base/cut.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import { systemClock } from "../../base/system.ts";
import type { Listener, RestContext } from "../../events/listener.ts";
import type { LogRow, LogSink } from "./log-row.ts";
import { logRows } from "./log-rows.ts";
import { withoutCredentials } from "./without-credentials.ts";

const MAX_TEXT = 100_000;
const ATTEMPTS = 3;
const PAUSE_MS = 250;
const MAX_MISSED_RUNS = 1_000;

/** Creates a listener for the tables of AG2's runtime log. Works for runs of all kinds. */
export function runtimeLogging(sink: LogSink): Listener {
  if (typeof sink?.write !== "function")
    throw new EngineError(
      "invalid_definition",
      "runtimeLogging() needs a sink: sqlLog(…), jsonLinesLog(…) or an object with `write`",
    );
  /** Runs with undelivered rows, each with the `seq` before its first undelivered event. */
  const missed = new Map<string, number>();
  return {
    name: "runtime-log",
    types: new Set(),
    dependsOn: [],
    handle: () => undefined,
    atRest: async (rest) => {
      const { runId, restedSeq } = rest;
      const afterSeq = Math.min(restedSeq, missed.get(runId) ?? restedSeq);
      try {
        await write(sink, logRows(rest.history(), afterSeq).map(clean), rest);
        missed.delete(runId);
      } catch (error) {
        missed.set(runId, afterSeq);
        const [oldest] = missed.keys();
        if (missed.size > MAX_MISSED_RUNS && oldest !== undefined) missed.delete(oldest);
        throw error;
      }
    },
  };
}

async function write(
  sink: LogSink,
  rows: readonly LogRow[],
  { signal }: RestContext,
): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await sink.write(rows);
      return;
    } catch (cause) {
      if (attempt === ATTEMPTS || signal.aborted)
        throw new EngineError(
          "unavailable",
          `${rows.length} rows of the runtime log could not be written: ${errorMessage(cause)}`,
          { cause },
        );
      await sleep(systemClock, PAUSE_MS * attempt, signal);
    }
}

function clean(row: LogRow): LogRow {
  const values = Object.entries(row.values).map(([name, value]) => [
    name,
    typeof value === "string" ? cut(withoutCredentials(value), MAX_TEXT) : value,
  ]);
  return { table: row.table, values: Object.fromEntries(values) as never };
}
