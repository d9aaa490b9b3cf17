// Clean-ups: what is done once a run has ended, however it ended, such as deleting a sandbox or cancelling a job of a service.
//
//   CLN1. A clean-up is on record from the moment it is added. A run that completes, fails or is cancelled has it done, also when
//         its process dies before; one that was taken back, as the job has ended, is not done.
//   CLN2. It is tried again until it succeeds, about half an hour long, and by any process: what it needs is data. An error that
//         is ours and not retryable gives it up at once.
//   CLN3. What is added after the end, as by a call that was under way, is done at once.
//   CLN4. A run has at most 100 of them, and each at most 16 KiB of data.
import type { JsonValue } from "../base/json.ts";
import type { RunServices } from "./run-services.ts";

/** Where a clean-up is done: its run has ended, and none of its code runs any more. */
export type CleanUpContext = {
  readonly runId: string;
  readonly tenant: string;
  /** Those of the run. */
  readonly services: RunServices;
  /** The same on every attempt. */
  readonly idempotencyKey: string;
  /** Aborts after 30 seconds, when the attempt has failed. */
  readonly signal: AbortSignal;
};

/** One kind of clean-up, as code knows it. Make it with `cleanUp()` where a module begins. */
export type CleanUp<Data extends JsonValue = JsonValue> = {
  readonly name: string;
  /** May be called several times. What it throws means that it is tried again. */
  readonly perform: (data: Data, context: CleanUpContext) => Promise<unknown>;
};

/** How runs record clean-ups. */
export interface CleanUpPort {
  /** Throws `limit_exceeded`. A later one with the same id takes the place of an earlier one. */
  add(id: string, kind: CleanUp, data: JsonValue): void;
  remove(id: string): void;
}

/** All kinds in the code that is loaded: the process that does a clean-up may not be the one that added it. */
const kinds = new Map<string, CleanUp>();

/** Defines a kind of clean-up. Runs keep its name, so that it stays the same for good. */
export function cleanUp<Data extends JsonValue>(
  name: string,
  perform: CleanUp<Data>["perform"],
): CleanUp<Data> {
  const kind = { name, perform };
  kinds.set(name, kind as unknown as CleanUp);
  return kind;
}

/** Undefined for a name that the deployed code does not have. */
export function cleanUpNamed(name: string): CleanUp | undefined {
  return kinds.get(name);
}
