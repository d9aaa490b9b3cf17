import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Graph, RunView } from "../../api-types.ts";
import { client } from "../../api.ts";
import { GraphView } from "../../parts/graph-view.tsx";
import { Answered } from "../../shell/states.tsx";
import { isOver } from "./use-run.ts";

type Props = {
  readonly run: RunView;
  readonly version: number;
  readonly onChoose: (key: string) => void;
};

/** The definition's picture with the states of this run; a click shows only the rows of a node. */
export default function Picture({ run }: Props) {
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ["run", run.id, "graph"],
    queryFn: () => client.runs.handle(run.id).graph() as Promise<Graph>, // with its layout
    refetchInterval: isOver(run.status) ? false : 1500,
  });
  return (
    <Answered query={query}>
      {(graph) => (
        <div className="card card-body stack">
          <GraphView
            graph={graph}
            onChoose={({ key }) => {
              if (key !== undefined)
                void navigate({
                  to: "/runs/$id",
                  params: { id: run.id },
                  search: { tab: "timeline", under: key, step: key },
                });
            }}
          />
          {graph.warnings.map((warning) => (
            <p key={warning} className="small soft">
              {warning}
            </p>
          ))}
        </div>
      )}
    </Answered>
  );
}
