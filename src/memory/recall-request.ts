import type { ScopeViewer } from "./memory-records.ts";

export type RecallRequest = {
  readonly query: string;
  /** Whole path to search, within the root. */
  readonly scope: string;
  readonly categories: readonly string[] | undefined;
  readonly limit: number;
  readonly isDeep: boolean;
  readonly source: string | undefined;
  readonly includePrivate: boolean;
  readonly hybrid: boolean;
  /** Minimum similarity, 0 to 1. */
  readonly minScore: number;
};

/** Returns the viewer of a recall, for filters of records. */
export function viewerOf({
  source,
  includePrivate,
}: Pick<RecallRequest, "source" | "includePrivate">): ScopeViewer {
  return includePrivate ? {} : { visibleTo: source ?? null };
}
