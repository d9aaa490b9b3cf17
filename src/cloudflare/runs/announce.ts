import { EngineError, errorMessage } from "../../base/error.ts";
import type { RunIndexRow } from "../../runtime/run.ts";

/** Writes a run's first row, before its object is called. */
export type Announce = (row: RunIndexRow) => Promise<void>;

/** Fails with `not_configured` if the database rejected a run because its tenant's runs are elsewhere (PLC2). */
export function refuseElsewhere(error: unknown): void {
  const message = errorMessage(error);
  if (!message.includes("in another jurisdiction")) return;
  throw new EngineError(
    "not_configured",
    "the runs of this tenant are in another jurisdiction than this Worker's placement; start them with their earlier placement",
    { cause: error },
  );
}
