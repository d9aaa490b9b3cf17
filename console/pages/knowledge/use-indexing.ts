// Follows the runs that index documents of a collection. After a reload it finds them among the runs.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../../api.ts";
import { announce } from "../../shell/announcements.tsx";
import { errorText } from "../../shell/error-text.ts";
import { applyIndexing, type Indexing, type IndexingMap } from "./indexing.ts";

/** Maximum age of an ended run on the list. */
const RECENT_MS = 10 * 60_000;
const MAX_FOLLOWED = 10;
/** Number of documents sent at the same time. */
const SENDERS = 3;

export type NewDocument = { readonly name: string; readonly send: () => Promise<{ id: string }> };

export type Additions = {
  readonly items: readonly Indexing[];
  readonly add: (documents: readonly NewDocument[]) => void;
  /** Removes ended runs from the list. */
  readonly clear: () => void;
};

const isGoing = ({ state }: Indexing): boolean => state === "sending" || state === "indexing";

export function useIndexing(collection: string): Additions {
  const queries = useQueryClient();
  const [map, setMap] = useState<IndexingMap>({});
  const followed = useRef(new Set<string>());
  const left = useRef<AbortController>(undefined);

  const follow = useCallback(
    (runId: string): void => {
      const signal = left.current?.signal;
      if (followed.current.has(runId) || signal === undefined) return;
      followed.current.add(runId);
      const refresh = (): void => void queries.invalidateQueries({ queryKey: ["knowledge"] });
      void (async () => {
        try {
          for await (const event of client.runs.handle(runId).events({ signal })) {
            setMap((now) => applyIndexing(now, event));
            if (/^knowledge_document_(completed|failed)$/.test(event.type)) {
              announce(event.type.endsWith("failed") ? "A document failed" : "A document is ready");
              refresh();
            }
          }
        } catch {
          followed.current.delete(runId);
        }
        refresh();
      })();
    },
    [queries],
  );

  useEffect(() => {
    left.current = new AbortController();
    followed.current.clear();
    setMap({});
    return () => left.current?.abort();
  }, [collection]);

  const recent = useQuery({
    queryKey: ["knowledge", "runs", collection],
    queryFn: () => client.runs.list({ kind: "knowledge", name: collection, limit: MAX_FOLLOWED }),
    staleTime: Infinity,
  });
  useEffect(() => {
    for (const run of recent.data?.items ?? [])
      if (run.finishedAt === undefined || Date.now() - Date.parse(run.finishedAt) < RECENT_MS)
        follow(run.id);
  }, [recent.data, follow]);

  const add = useCallback(
    (documents: readonly NewDocument[]): void => {
      const put = (key: string, change: Indexing | undefined): void =>
        setMap((now) => {
          const rest = Object.fromEntries(Object.entries(now).filter(([of]) => of !== key));
          return change === undefined ? rest : { ...rest, [key]: change };
        });
      const waiting = documents.map((each) => ({ ...each, key: `sending ${each.name}` }));
      for (const { key, name } of waiting) put(key, { name, runId: "", state: "sending" });
      const send = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const { key, name, send: start } = next;
          try {
            const { id } = await start();
            put(key, undefined);
            setMap((now) => ({
              ...now,
              [`${id} ${name}`]: now[`${id} ${name}`] ?? { name, runId: id, state: "indexing" },
            }));
            follow(id);
          } catch (error) {
            put(key, { name, runId: "", state: "failed", error: errorText(error) });
          }
        }
      };
      for (let sender = 0; sender < SENDERS; sender++) void send();
    },
    [follow],
  );
  const clear = (): void =>
    setMap((now) => Object.fromEntries(Object.entries(now).filter(([, each]) => isGoing(each))));
  return { items: Object.values(map), add, clear };
}
