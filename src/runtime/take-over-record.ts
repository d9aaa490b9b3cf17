import { EngineError, type ErrorRecord } from "../base/error.ts";
import { adoptRows, type RecordPage } from "./fork.ts";
import type { RecordPlace } from "./record-place.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import type { RunWriter } from "./run-writer.ts";

/** A page of the record of another run. */
export type RecordPages = (from: {
  readonly tenant: string;
  readonly runId: string;
  readonly place: RecordPlace;
}) => Promise<RecordPage>;

/**
 * Copies the rest of a fork's record from the other run, page by page: after a crash it continues from the last page.
 * Returns the reason if the copy has become impossible; throws for a repeatable failure.
 */
export async function takeOverRecord(
  adopting: RecordPlace,
  {
    store,
    reader,
    writer,
    recordPage,
    nowMs,
  }: {
    readonly store: RunStore;
    readonly reader: RunReader;
    readonly writer: RunWriter;
    readonly recordPage: RecordPages | undefined;
    readonly nowMs: number;
  },
): Promise<ErrorRecord | undefined> {
  const { tenant, origin: { runId = "" } = {} } = reader.start(reader.record());
  for (let place: RecordPlace | undefined = adopting; place !== undefined;) {
    let page: RecordPage | undefined;
    try {
      page = await recordPage?.({ tenant, runId, place });
    } catch (error) {
      if (!EngineError.is(error) || error.retryable) throw error;
      const message = `the record of run ${runId}, which this run was forked from, could not be taken over: ${error.message}`;
      return { ...error.toRecord(), message };
    }
    if (page === undefined) return undefined;
    const { rows, more }: RecordPage = page;
    writer.transaction(() => {
      adoptRows(store, rows, nowMs);
      const { adopting: _, ...record } = reader.record();
      store.save(more === undefined ? record : { ...record, adopting: more });
    });
    place = more;
  }
  return undefined;
}
