// The parts of a run that requests have continued, in the data of its thread.
import type { ThreadRun } from "../thread-store.ts";

/** Number of stored parts of one run, the latest ones. */
export const MAX_PARTS = 50;

/** Part continued by a request. */
export type Part = {
  readonly requestId: string;
  readonly after: number;
  readonly answered: readonly string[];
};

/** Returns the stored parts of a run, the oldest first. */
export function partsOf({ data }: ThreadRun): readonly Part[] {
  const { parts } = data;
  return Array.isArray(parts) ? (parts as readonly Part[]) : [];
}
