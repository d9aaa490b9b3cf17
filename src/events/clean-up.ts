// Clean-ups: actions performed after a run has ended in any way, such as deleting a sandbox or cancelling a remote job.
//
//   CLN1. A clean-up is on record as soon as it is added. It is performed after the run completes, fails or is
//         cancelled, also if its process dies first. A clean-up removed earlier, because its job has ended, is not
//         performed.
//   CLN2. It is tried again until it succeeds, for about half an hour, and by any process: its input is data. An engine
//         error without `retryable` ends the attempts immediately.
//   CLN3. A clean-up added after the end, as by a call still running, is performed immediately.
//   CLN4. A run has at most 100 clean-ups, each with at most 16 KiB of data.
import type { JsonValue } from "../base/json.ts";
import type { RunServices } from "./run-services.ts";

/** Context of a clean-up: its run has ended, and no code of the run is executing. */
export type CleanUpContext = {
  readonly runId: string;
  readonly tenant: string;
  /** Services of the run. */
  readonly services: RunServices;
  /** The same on every attempt. */
  readonly idempotencyKey: string;
  /** Aborts after 30 seconds, when the attempt has failed. */
  readonly signal: AbortSignal;
};

/** One kind of clean-up in code. Make it with `cleanUp()` at the top level of a module. */
export type CleanUp<Data extends JsonValue = JsonValue> = {
  readonly name: string;
  /** Performs the clean-up. May be called several times: an exception causes another attempt. */
  readonly perform: (data: Data, context: CleanUpContext) => Promise<unknown>;
};

/** Records the clean-ups of a run. */
export interface CleanUpPort {
  /** Throws `limit_exceeded`. Replaces an earlier clean-up with the same id. */
  add(id: string, kind: CleanUp, data: JsonValue): void;
  remove(id: string): void;
}

/** All kinds in the loaded code: the performing process may be another one than the adding process. */
const kinds = new Map<string, CleanUp>();

/** Defines a kind of clean-up. Runs store its name, so the name must never change. */
export function cleanUp<Data extends JsonValue>(
  name: string,
  perform: CleanUp<Data>["perform"],
): CleanUp<Data> {
  const kind = { name, perform };
  kinds.set(name, kind as unknown as CleanUp);
  return kind;
}

/** Returns the kind of this name, or undefined if the deployed code has no such kind. */
export function cleanUpNamed(name: string): CleanUp | undefined {
  return kinds.get(name);
}
