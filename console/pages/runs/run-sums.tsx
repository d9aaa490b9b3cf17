import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Page, RunRow } from "../../api-types.ts";
import { transport } from "../../api.ts";
import { formatCost, formatCount, plural } from "../../parts/format.ts";
import { onChange } from "../../shell/changes.ts";
import { toQuery, type Filters } from "./filters.ts";

type Counted = Page<RunRow> & {
  readonly count?: number;
  readonly countCapped?: boolean;
  /** Consumption of the counted runs. Absent if the Worker keeps no sums. */
  readonly sums?: {
    readonly tokens: number;
    readonly costUsd: number;
    readonly requests: number;
  };
};

/** Minimum interval between counts after changes, as counting reads many rows. */
const REFRESH_MS = 15_000;

/** Total consumption of all runs in the filter, including those not loaded yet. */
export function RunSums({ filters }: { readonly filters: Filters }) {
  const { dropped: _, ...shown } = filters;
  const mark = JSON.stringify(shown);
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["runs", "sums", mark] });
      }, REFRESH_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries, mark]);
  const { data } = useQuery({
    queryKey: ["runs", "sums", mark],
    queryFn: async ({ signal }): Promise<Counted> =>
      transport.json("/runs", {
        query: { ...toQuery(filters, Date.now()), count: "1", limit: 1 },
        signal,
      }),
    staleTime: REFRESH_MS,
    retry: false,
  });
  if (data?.count === undefined || data.sums === undefined) return null;
  const { count, countCapped, sums } = data;
  if (count === 0) return null;
  return (
    <span title="All runs that match the filters. Usage of child runs counts for their parents.">
      {countCapped === true ? `The newest ${formatCount(count)} together` : "Together"}{" "}
      {formatCost(sums.costUsd)}
      {" · "}
      {plural(sums.tokens, "token")}
      {" · "}
      {plural(sums.requests, "model call")}
    </span>
  );
}
