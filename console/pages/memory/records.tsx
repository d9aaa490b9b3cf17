import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PlainText } from "../../parts/text.tsx";
import { Age } from "../../parts/time.tsx";
import { useMay } from "../../shell/session.ts";
import { Answered, Empty } from "../../shell/states.tsx";
import { ForgetDialog, RecordDialog, type Forgetting } from "./record-dialogs.tsx";
import type { MemoryRow } from "./types.ts";

const PAGE = 50;

/** The memories of a scope and below it, newest first. */
export function Records({
  scope,
  onSave,
}: {
  readonly scope: string;
  readonly onSave: () => void;
}) {
  const [edited, edit] = useState<MemoryRow>();
  const [forgetting, forget] = useState<Forgetting>();
  const isAdmin = useMay("admin");
  const info = useQuery({
    queryKey: ["memory", "info", scope],
    queryFn: () => client.memory.info(scope, isAdmin ? { includePrivate: true } : {}),
  });
  const query = useInfiniteQuery({
    queryKey: ["memory", "records", scope],
    queryFn: ({ pageParam }) =>
      client.memory.list({
        scope,
        limit: PAGE,
        includePrivate: isAdmin,
        ...(pageParam === "" ? undefined : { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const count = info.data?.recordCount;
  return (
    <section className="card memories" aria-label="Memories">
      <header>
        <h2 className="cut" title={scope}>
          {scope === "/" ? "All memories" : <PlainText text={scope} />}
        </h2>
        <span className="soft small">
          {count !== undefined && plural(count, "memory", "memories")}
        </span>
        {isAdmin && count !== undefined && count > 0 && (
          <button
            type="button"
            className="button small bad"
            onClick={() => forget({ scope, count })}
          >
            {scope === "/" ? "Forget all" : "Forget this scope"}
          </button>
        )}
      </header>
      <Answered query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0)
            return (
              <Empty title="No memories here">
                <p>Memories of other scopes are in the tree, and Recall finds them by meaning.</p>
                <button type="button" className="button" onClick={onSave}>
                  <Icon name="plus" size={14} /> Save one here
                </button>
              </Empty>
            );
          return (
            <ul className="memory-list">
              {items.map((record) => (
                <RecordRow
                  key={record.id}
                  record={record}
                  onEdit={() => edit(record)}
                  onForget={() => forget({ record })}
                />
              ))}
              {query.hasNextPage && (
                <li className="card-body">
                  <button
                    type="button"
                    className="button"
                    disabled={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {query.isFetchingNextPage ? "Loading …" : "Show older ones"}
                  </button>
                </li>
              )}
            </ul>
          );
        }}
      </Answered>
      {edited !== undefined && <RecordDialog record={edited} onClose={() => edit(undefined)} />}
      {forgetting !== undefined && (
        <ForgetDialog what={forgetting} onClose={() => forget(undefined)} />
      )}
    </section>
  );
}

type RowProps = {
  readonly record: MemoryRow;
  readonly onEdit: () => void;
  readonly onForget: () => void;
};

function RecordRow({ record, onEdit, onForget }: RowProps) {
  const mayRun = useMay("run");
  const [isWhole, setWhole] = useState(false);
  return (
    <li className="memory-row" data-memory={record.id}>
      <p
        className={isWhole ? "value" : "value memory-text"}
        onClick={() => {
          if (getSelection()?.isCollapsed !== false) setWhole(!isWhole);
        }}
      >
        <PlainText text={record.content} />
      </p>
      <p className="cluster small soft">
        <code className="cut">{record.scope}</code>
        {record.categories.map((category) => (
          <span key={category} className="badge">
            <PlainText text={category} />
          </span>
        ))}
        <span title="Importance">importance {record.importance.toFixed(2)}</span>
        {record.source !== undefined && (
          <span>
            from <PlainText text={record.source} />
          </span>
        )}
        {record.private && <span className="badge wait">private</span>}
        <span>
          saved <Age at={record.createdAt} />
        </span>
        {record.lastAccessed !== record.createdAt && (
          <span>
            used <Age at={record.lastAccessed} />
          </span>
        )}
        <span className="spread" />
        {mayRun && (
          <>
            <button type="button" className="button small plain" onClick={onEdit}>
              Edit or move
            </button>
            <button type="button" className="button small plain" onClick={onForget}>
              Forget
            </button>
          </>
        )}
      </p>
    </li>
  );
}
