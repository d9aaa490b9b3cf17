// Changes of a tenant's runs, in the order of their arrival in the index.
import type { RunSummary } from "../runtime/run-directory.ts";

/** A run as it is now, or a deleted run, with its place in the order. */
export type RunChange =
  | { readonly change: number; readonly run: RunSummary }
  | { readonly change: number; readonly gone: string };

/** Bounds of the order. */
export type ChangeRange = {
  /** Newest place; 0 before the first change. */
  readonly newest: number;
  /** Last place whose deletions are forgotten. */
  readonly forgotten: number;
};

export interface RunChanges {
  range(tenant: string): Promise<ChangeRange>;
  /** Returns the next changes after a place. Of several changes of one run it has only the newest. */
  after(tenant: string, place: number, limit: number): Promise<readonly RunChange[]>;
}
