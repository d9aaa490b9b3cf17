import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { EventsPage, KeptEvent, RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { plural } from "../../parts/format.ts";
import { Viewer } from "../../parts/viewer.tsx";
import { Answered, Empty } from "../../shell/states.tsx";
import type { RunSearch } from "./run-page.tsx";
import { StepAttempts } from "./step-attempts.tsx";
import type { LiveRun } from "./use-run.ts";
import { WebhookAttempts } from "./webhook-attempts.tsx";
import "./run.css";

const PAGE = 500;
const ROW = 34;

type Props = {
  readonly run: RunView;
  readonly live: LiveRun;
  readonly search: RunSearch;
  readonly onChoose: (key: string) => void;
};

export default function Raw({ run, live, search, onChoose }: Props) {
  return (
    <div className="stack">
      <Events run={run} begun={search.q ?? ""} />
      <StepAttempts run={run} live={live} onChoose={onChoose} />
      <WebhookAttempts run={run} />
      <Journal run={run} />
      <details className="card talk">
        <summary>
          <h2>Record</h2>
          <span className="soft small">the run as the API has it</span>
        </summary>
        <div className="card-body">
          <Viewer value={run} label="record" />
        </div>
      </details>
    </div>
  );
}

/** Stored events, page by page. A search covers the loaded pages, and loads more until it finds a match. */
function Events({ run, begun }: { readonly run: RunView; readonly begun: string }) {
  const [filter, setFilter] = useState(begun);
  const query = useInfiniteQuery({
    queryKey: ["run", run.id, "raw", run.status],
    queryFn: ({ pageParam }) =>
      client.runs.handle(run.id).eventPage({ after: pageParam, limit: PAGE }),
    initialPageParam: 0,
    getNextPageParam: (page: EventsPage) => (page.more ? page.next : undefined),
    staleTime: 10_000,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const events = useMemo(
    () => query.data?.pages.flatMap(({ items }) => items) ?? [],
    [query.data?.pages],
  );
  const found = useMemo(() => {
    const words = filter.toLowerCase();
    if (words === "") return events;
    return events.filter((event) => JSON.stringify(event).toLowerCase().includes(words));
  }, [events, filter]);
  const more = (): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  useEffect(() => {
    if (filter !== "" && found.length === 0) more();
  });
  return (
    <section className="card" aria-label="Events">
      <header>
        <h2>Events</h2>
        <input
          className="input"
          type="search"
          style={{ maxWidth: 280 }}
          value={filter}
          placeholder="Type, path or text"
          aria-label="Filter events"
          onChange={(event) => setFilter(event.target.value)}
        />
      </header>
      <Answered query={query}>
        {() => (
          <>
            {found.length === 0 && !hasNextPage ? (
              <Empty title={filter === "" ? "No events" : "No event fits"} />
            ) : (
              <EventRows events={found} onEnd={more} />
            )}
            <p className="table-foot small soft">
              {plural(found.length, "event")}
              {hasNextPage && " so far"}
              {hasNextPage && (
                <button
                  type="button"
                  className="button small plain"
                  disabled={isFetchingNextPage}
                  onClick={more}
                >
                  {isFetchingNextPage ? "Reading …" : "Read on"}
                </button>
              )}
            </p>
          </>
        )}
      </Answered>
    </section>
  );
}

type RowsProps = { readonly events: readonly KeptEvent[]; readonly onEnd: () => void };

function EventRows({ events, onEnd }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
    getItemKey: (index) => events[index]?.seq ?? index,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= events.length - 20) onEnd();
  }, [last, events.length]);
  return (
    <div
      className="raw-events"
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="Stored events"
    >
      <div style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const event = events[index];
          return (
            event !== undefined && (
              <details
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-seq={event.seq}
                className="raw-event"
                style={{ transform: `translateY(${start}px)` }}
              >
                <summary>
                  <span className="number soft">{event.seq}</span> <strong>{event.type}</strong>{" "}
                  <span className="soft cut">{event.path}</span>
                </summary>
                <Viewer value={event} label="event" />
              </details>
            )
          );
        })}
      </div>
    </div>
  );
}

/** First rows of the journal in the API's format. */
function Journal({ run }: { readonly run: RunView }) {
  const [isOpen, open] = useState(false);
  const query = useQuery({
    queryKey: ["run", run.id, "journal", run.status],
    queryFn: () => client.runs.handle(run.id).journal({ limit: 50, values: "cut" }),
    enabled: isOpen,
  });
  return (
    <details className="card talk" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>
        <h2>Journal</h2>
        <span className="soft small">the first 50 rows as JSON</span>
      </summary>
      <div className="card-body">
        {isOpen && (
          <Answered query={query}>{(page) => <Viewer value={page} label="journal" />}</Answered>
        )}
      </div>
    </details>
  );
}
