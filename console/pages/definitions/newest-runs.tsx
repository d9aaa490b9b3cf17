import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TargetKind } from "../../api-types.ts";
import { client } from "../../api.ts";
import { Loading } from "../../shell/states.tsx";
import { RunRows } from "../runs/run-rows.tsx";

const NEWEST = 12;

/** The newest runs of a kind, beside the list of its definitions. */
export function NewestRuns({ kind }: { readonly kind: TargetKind }) {
  const { data } = useQuery({
    queryKey: ["targets", "newest", kind],
    queryFn: () => client.runs.list({ kind, limit: NEWEST }),
  });
  return (
    <section className="card" aria-label="Newest runs">
      <header>
        <h2>Newest runs</h2>
        <Link to="/runs" search={{ kind }} className="small">
          All runs
        </Link>
      </header>
      {data === undefined ? (
        <div className="card-body">
          <Loading />
        </div>
      ) : data.items.length === 0 ? (
        <p className="card-body soft">No runs yet.</p>
      ) : (
        <RunRows runs={data.items} />
      )}
    </section>
  );
}
