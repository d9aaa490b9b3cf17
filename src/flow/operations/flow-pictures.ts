import { EngineError } from "../../base/error.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { runIdIn } from "../../parts/started-run.ts";
import type { FlowPartOptions } from "../flow-part-options.ts";
import { findFlow } from "./find-flow.ts";
import { PLOT, plotAnswer } from "./plots.ts";
import { plotQuery } from "./schemas.ts";

/** Pictures of flows and of their runs. */
export function flowPictureOperations(
  options: FlowPartOptions,
  host: PartHost,
): readonly Operation[] {
  const sources = { ...options, definitions: host.definitions };
  const { runs, clock } = host;
  const shared = { group: "Flows", subject: "flow" } as const;
  return [
    operation({
      ...shared,
      id: "plotFlow",
      method: "get",
      path: "/flows/{name}/plot",
      scope: "read",
      summary: "Draw a flow",
      description:
        "A page, an SVG, Mermaid text, or the structure as JSON: as `format` says, else as `Accept` does.",
      query: plotQuery,
      answers: { 200: PLOT },
      problems: [400, 404],
      handle: async ({ tenant, params: { name = "" }, query: { format }, raw }) => {
        const { flow } = await findFlow(sources, tenant, { name });
        return plotAnswer(raw, flow, { format });
      },
    }),
    operation({
      id: "plotRun",
      sample: { run: { id: "example-flow-run", kind: "flow" } },
      method: "get",
      path: "/runs/{id}/plot",
      group: "Runs",
      scope: "read",
      summary: "Draw a run of a flow",
      description:
        "The picture of its flow, with the state of each method: finished, running, waiting or failed. The page follows the run.",
      query: plotQuery,
      answers: { 200: PLOT },
      problems: [400, 404],
      handle: async ({ tenant, params, query: { format }, raw }) => {
        const id = runIdIn(params);
        const run = await runs.get(tenant, id);
        if (run.kind !== "flow")
          throw new EngineError(
            "not_found",
            `run ${id} is of kind ${run.kind}: only runs of flows have a picture`,
          );
        const { flow } = await findFlow(sources, tenant, { name: run.name });
        const events = (query: string): Promise<Response> =>
          runs.events(tenant, id, new Request(`${raw.url.split("?", 1)[0]}?${query}`));
        return plotAnswer(raw, flow, { format, run: { run, events, nowMs: clock.now() } });
      },
    }),
  ];
}
