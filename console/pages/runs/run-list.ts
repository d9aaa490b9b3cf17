// Live list of runs: visible rows change in place, and new ones wait above until the reader accepts them.
import { useInfiniteQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Page, RunRow } from "../../api-types.ts";
import { client } from "../../api.ts";
import { onChange } from "../../shell/changes.ts";
import { mayMatch, toQuery, type Filters } from "./filters.ts";

const PAGE = 100;

type Data = InfiniteData<Page<RunRow>, string | undefined>;

/** `isAtTop`: true if new runs may appear by themselves. */
export function useRunList(filters: Filters, isAtTop: () => boolean) {
  const queries = useQueryClient();
  const { dropped: _, ...shown } = filters;
  const mark = JSON.stringify(shown);
  const queryKey = ["runs", "list", mark] as const;
  const fresh = useRef(new Map<string, RunRow>());
  const [freshCount, setFreshCount] = useState(0);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      client.runs.list(
        { ...toQuery(filters, Date.now()), limit: PAGE, ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    // Changes keep the visible list up to date, but not a list that was hidden meanwhile.
    staleTime: 2_000,
    refetchOnWindowFocus: false,
    gcTime: 60_000,
  });

  const takeIn = useCallback(() => {
    const rows = [...fresh.current.values()].toSorted((one, other) =>
      one.createdAt < other.createdAt ? 1 : -1,
    );
    fresh.current.clear();
    setFreshCount(0);
    queries.setQueryData<Data>(queryKey, (data) => {
      const [first, ...rest] = data?.pages ?? [];
      if (data === undefined || first === undefined) return data;
      return { ...data, pages: [{ ...first, items: [...rows, ...first.items] }, ...rest] };
    });
  }, [queries, mark]);

  useEffect(() => {
    fresh.current.clear();
    setFreshCount(0);
    return onChange((change) => {
      const key = ["runs", "list", mark];
      if (change.type === "look") {
        // The list loads itself the first time.
        if (queries.getQueryData(key) !== undefined)
          void queries.invalidateQueries({ queryKey: key });
        return;
      }
      if (change.type === "gone") {
        queries.setQueryData<Data>(key, (data) =>
          changed(data, (items) => items.filter(({ id }) => id !== change.id)),
        );
        return;
      }
      const { run } = change;
      const data = queries.getQueryData<Data>(key);
      if (data === undefined) return;
      if (data.pages.some(({ items }) => items.some(({ id }) => id === run.id))) {
        queries.setQueryData<Data>(key, (now) =>
          changed(now, (items) =>
            items.map((row) => (row.id === run.id ? { ...row, ...run } : row)),
          ),
        );
        return;
      }
      const newest = data.pages[0]?.items[0]?.createdAt ?? "";
      if (mayMatch(shown, run) !== true || run.createdAt < newest) return;
      fresh.current.set(run.id, run);
      setFreshCount(fresh.current.size);
      if (isAtTop()) takeIn();
    });
  }, [mark, queries, takeIn, isAtTop]);

  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return { query, rows, freshCount, takeIn };
}

function changed(
  data: Data | undefined,
  change: (items: readonly RunRow[]) => readonly RunRow[],
): Data | undefined {
  return (
    data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) }
  );
}
