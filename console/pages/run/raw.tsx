import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { Viewer } from "../../parts/viewer.tsx";
import { Answered } from "../../shell/states.tsx";
import type { RunSearch } from "./run-page.tsx";

const SHOWN = 200;
type RawEvent = {
  readonly seq?: number;
  readonly type: string;
  readonly at?: string;
  readonly path?: string;
};

/** The events up to now; the stream is left where the run goes on. */
async function readEvents(run: RunView): Promise<readonly RawEvent[]> {
  const events: RawEvent[] = [];
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), 4000);
  try {
    for await (const event of client.runs.handle(run.id).events({ signal: ended.signal }))
      if ("seq" in event) events.push(event);
  } finally {
    clearTimeout(timer);
  }
  return events;
}

export default function Raw({
  run,
  search,
}: {
  readonly run: RunView;
  readonly search: RunSearch;
}) {
  const [filter, setFilter] = useState(search.q ?? "");
  const [limit, setLimit] = useState(SHOWN);
  const events = useQuery({
    queryKey: ["run", run.id, "raw", run.status],
    queryFn: () => readEvents(run),
    staleTime: 10_000,
  });
  const found = useMemo(() => {
    const words = filter.toLowerCase();
    return (events.data ?? []).filter(
      (event) => words === "" || JSON.stringify(event).toLowerCase().includes(words),
    );
  }, [events.data, filter]);
  return (
    <div className="stack">
      <section className="card">
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
        <Answered query={events}>
          {() => (
            <>
              <ol className="raw-events">
                {found.slice(0, limit).map((event) => (
                  <li key={event.seq}>
                    <details>
                      <summary>
                        <span className="number soft">{event.seq}</span>{" "}
                        <strong>{event.type}</strong> <span className="soft cut">{event.path}</span>
                      </summary>
                      <Viewer value={event as never} label="event" />
                    </details>
                  </li>
                ))}
              </ol>
              <p className="table-foot small soft">
                {found.length} events
                {found.length > limit && (
                  <button
                    type="button"
                    className="button small plain"
                    onClick={() => setLimit(limit + SHOWN)}
                  >
                    Show more
                  </button>
                )}
              </p>
            </>
          )}
        </Answered>
      </section>
      <section className="card">
        <header>
          <h2>Record</h2>
        </header>
        <div className="card-body">
          <Viewer value={run} label="record" />
        </div>
      </section>
    </div>
  );
}
