import { wishedStream } from "../../agent/caller-wishes.ts";
import { EngineError } from "../../base/error.ts";
import { startRunWithFiles } from "../../files/start-with-files.ts";
import { FINISHED, STARTED } from "../../parts/documented-runs.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { runOverrides } from "../../parts/run-overrides.ts";
import { startedAnswer } from "../../parts/start-run.ts";
import { requestedRunId, runIdIn } from "../../parts/started-run.ts";
import { sameFork } from "../../parts/same-run.ts";
import { callerFields } from "../../parts/schemas.ts";
import { webhookTargets } from "../../parts/webhook-targets.ts";
import type { Run, RunStart } from "../../runtime/run.ts";
import type { FlowPartOptions } from "../flow-part.ts";
import { restoreEntry } from "../restore-entry.ts";
import { findFlow } from "./find-flow.ts";
import { PLOT, plotAnswer } from "./plots.ts";
import { flowKickoffBody, plotQuery, type FlowKickoffBody } from "./schemas.ts";

/** Kickoffs of flows, and pictures of flows and their runs. */
export function flowRunOperations(options: FlowPartOptions, host: PartHost): readonly Operation[] {
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
    operation({
      ...shared,
      id: "kickoffFlow",
      method: "post",
      path: "/flows/{name}/kickoff",
      scope: "run",
      summary: "Start a flow",
      description:
        "The inputs are merged into its state. With `Accept: text/event-stream` the answer is the run's event stream; with `Prefer: wait=N` it may be the finished run, whose output is `{ value, state }`.",
      headers: ["Idempotency-Key", "Prefer"],
      body: { name: "FlowKickoff", schema: flowKickoffBody, required: false },
      answers: { 200: FINISHED, 202: STARTED },
      problems: [400, 404, 409, 413, 415],
      example: ({ inputs }) => ({ inputs }),
      handle: async ({ tenant, params: { name = "" }, body, raw, scopes }) => {
        const { fromCheckpoint, ...kickoff } = body;
        const { inputs = {}, inputFiles, id, tags, meta, version } = kickoff;
        const { webhooks, restoreFromStateId, stream } = kickoff;
        const targets = webhookTargets(webhooks, host);
        const overrides = await runOverrides(kickoff, host, tenant);
        const found = await findFlow(sources, tenant, { name, version });
        if (fromCheckpoint !== undefined) {
          const newId = requestedRunId(id, raw) ?? host.randomId();
          const fork = { name, newId, kickoff: { ...kickoff, fromCheckpoint }, ...overrides };
          return startedAnswer(await forkedRun(host, tenant, fork));
        }
        return startRunWithFiles(
          host,
          { tenant, raw, scopes },
          {
            id,
            inputFiles,
            start: (files) => {
              const all = { ...files, ...inputs };
              found.flow.checkKickoff(all, restoreFromStateId);
              return {
                kind: "flow",
                name,
                inputs: all,
                ...(restoreFromStateId === undefined
                  ? undefined
                  : { entry: restoreEntry(restoreFromStateId) }),
                ...(found.source === "stored" ? { definition: found.declaration } : undefined),
                ...callerFields({ tags, meta }),
                ...wishedStream({ raw }, stream),
                ...targets,
                ...overrides,
              };
            },
          },
        );
      },
    }),
  ];
}

/** Starts a run from a checkpoint of another run of the flow. */
async function forkedRun(
  { runs }: PartHost,
  tenant: string,
  fork: Pick<RunStart, "overrides"> & {
    readonly name: string;
    readonly newId: string;
    readonly kickoff: FlowKickoffBody & {
      readonly fromCheckpoint: NonNullable<FlowKickoffBody["fromCheckpoint"]>;
    };
  },
): Promise<Run> {
  const { name, newId, kickoff, overrides } = fork;
  const { inputs, fromCheckpoint } = kickoff;
  const refused = [
    "restoreFromStateId",
    "inputFiles",
    "webhooks",
    "tags",
    "meta",
    "version",
  ] as const;
  for (const field of refused)
    if (kickoff[field] !== undefined) throw unfit(`/${field}`, "expected nothing");
  const other = await runs.get(tenant, fromCheckpoint.run);
  if (other.kind !== "flow" || other.name !== name)
    throw unfit("/fromCheckpoint/run", `expected a run of flow "${name}"`);
  const checkpoint =
    fromCheckpoint.checkpoint ?? (await runs.checkpoints(tenant, other.id)).at(-1)?.id;
  if (checkpoint === undefined)
    throw new EngineError("not_found", `run ${other.id} has no checkpoint yet`);
  const request = { newId, from: { fromCheckpoint: checkpoint }, inputs, overrides };
  return sameFork(await runs.fork(tenant, other.id, request), { of: other.id });
}

function unfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
