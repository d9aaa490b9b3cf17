import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api.ts";
import { announce } from "./announcements.tsx";
import { onChange } from "./changes.ts";
import { statusWord } from "../parts/status.tsx";

const LIMIT = 100;

/** Open waits and running runs, for the navigation. */
export function useCounts(): { readonly waits: string; readonly running: string } {
  const waits = useQuery({
    queryKey: ["waits", "count"],
    queryFn: () => client.waits.list({ limit: LIMIT }),
  });
  const running = useQuery({
    queryKey: ["runs", "running"],
    queryFn: () => client.runs.list({ status: "running", limit: LIMIT }),
  });
  return { waits: countOf(waits.data), running: countOf(running.data) };
}

function countOf(
  page: { readonly items: readonly unknown[]; readonly nextCursor?: string } | undefined,
): string {
  if (page === undefined || page.items.length === 0) return "";
  return `${page.items.length}${page.nextCursor === undefined ? "" : "+"}`;
}

/** Refetches lists after a change of any run, at most once a second, and announces ends and questions. */
export function useRefreshedLists(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange((change) => {
      const run = change.type === "run" ? change.run : undefined;
      if (
        run !== undefined &&
        run.parent === undefined &&
        run.status !== "running" &&
        run.status !== "queued" &&
        !location.pathname.endsWith(`/runs/${run.id}`) // the run's page announces its own changes
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
