import { Link } from "@tanstack/react-router";
import type { RunRow } from "../../api-types.ts";
import { shortId } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { Age, Duration } from "../../parts/time.tsx";

/** A few runs as links, each with its status and age. */
export function RunRows({ runs }: { readonly runs: readonly RunRow[] }) {
  return (
    <ul className="rows">
      {runs.map((run) => (
        <li key={run.id}>
          <Link to="/runs/$id" params={{ id: run.id }} className="row-link">
            <Status status={run.held ? "held" : run.status} />
            <span className="cut">
              <strong>{run.name}</strong> <span className="mono soft">{shortId(run.id)}</span>
            </span>
            <span className="soft small number">
              {run.status === "running" ? (
                <Duration from={run.startedAt ?? run.createdAt} />
              ) : (
                <Age at={run.createdAt} />
              )}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
