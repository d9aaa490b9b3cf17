import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../api.ts";
import { announce } from "./announcements.tsx";
import { onChange } from "./changes.ts";
import { statusWord } from "../parts/status.tsx";

const LIMIT = 100;

/** Open waits and running runs, for the navigation. */
export function useCounts(): { readonly waits: string; readonly running: string } {
  const waits = useQuery({
    queryKey: ["waits", "count"],
    queryFn: () => api.waits({ limit: LIMIT }),
  });
  const running = useQuery({
    queryKey: ["runs", "running"],
    queryFn: () => api.runs({ status: "running", limit: LIMIT }),
  });
  return { waits: countOf(waits.data), running: countOf(running.data) };
}

function countOf(
  page: { readonly items: readonly unknown[]; readonly nextCursor?: string } | undefined,
): string {
  if (page === undefined || page.items.length === 0) return "";
  return `${page.items.length}${page.nextCursor === undefined ? "" : "+"}`;
}

/** Has lists fetched again after a change of any run, at most once a second, and says ends and questions. */
export function useRefreshedLists(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(({ run }) => {
      if (
        run !== undefined &&
        run.parent === undefined &&
        run.status !== "running" &&
        run.status !== "queued" &&
        !location.pathname.endsWith(`/runs/${run.id}`) // its page says so itself
      )
        announce(`${run.name}: ${statusWord(run.status)}`);
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["runs", "running"] });
        void queries.invalidateQueries({ queryKey: ["waits"] });
        void queries.invalidateQueries({ queryKey: ["home"] });
      }, 1000);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries]);
}
