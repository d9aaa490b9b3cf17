import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { diffCheckpoints, type Checkpoint, type CheckpointDiff } from "../runtime/checkpoints.ts";
import type { ForkPoint, Page, RunSummary } from "../runtime/run-directory.ts";
import type { EventReceipt } from "../runtime/outside-events.ts";
import type { ResumeRequest } from "../runtime/run-handle.ts";
import type { Run, Step } from "../runtime/run.ts";
import { checkInputs } from "../base/interpolate.ts";
import { allow } from "./auth.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { findFlow } from "./find-flow.ts";
import { sendPlot } from "./plots.ts";
import { preferredWait } from "./prefer.ts";
import { invalidInput } from "./problem.ts";
import { query } from "./query.ts";
import { body } from "./request-body.ts";
import {
  cancelBody,
  checkpointDiffQuery,
  checkpointsQuery,
  emptyBody,
  forkBody,
  journalQuery,
  listRunsQuery,
  plotQuery,
  pruneBody,
  resumeBody,
  sendEventBody,
  type ForkBody,
} from "./schemas.ts";
import type { HttpEnv } from "./services.ts";
import { givenRunId, runIdOf, startedRun, type StartedRun } from "./started-run.ts";

export const runs = new Hono<HttpEnv>()
  .get("/", allow("read"), query(listRunsQuery), async (c) => {
    const page = await c.var.services.runs.list({
      tenant: c.var.caller.tenant,
      ...c.req.valid("query"),
    });
    return c.json<Page<RunSummary>>(page);
  })
  .get("/:id", allow("read"), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const waitSeconds = preferredWait(c.req.header("prefer"));
    if (waitSeconds === undefined) return c.json<Run>(await directory.get(tenant, id));
    const run = await directory.settled(tenant, id, waitSeconds * 1000);
    return c.json<Run>(run, 200, { "preference-applied": `wait=${waitSeconds}` });
  })
  .get("/:id/events", allow("read"), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    checkTypes(c.req.query("types"));
    return directory.events(tenant, id, c.req.raw);
  })
  .get("/:id/plot", allow("read"), query(plotQuery), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const run = await directory.get(tenant, id);
    if (run.kind !== "flow")
      throw new EngineError(
        "not_found",
        `run ${id} is of kind ${run.kind}: only runs of flows have a picture`,
      );
    const { flow } = await findFlow(c.var.services, tenant, run.name);
    const events = (of: string): Promise<Response> =>
      directory.events(tenant, id, new Request(`${c.req.url.split("?", 1)[0]}?${of}`));
    return sendPlot(c, flow, { format: c.req.valid("query").format, run, events });
  })
  .get("/:id/journal", allow("read"), query(journalQuery), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const { cursor, limit, values } = c.req.valid("query");
    const page = await directory.steps(tenant, id, {
      cursor,
      limit,
      values: values === "1" || values === "true",
    });
    return c.json<Page<Step>>(page);
  })
  .get("/:id/checkpoints", allow("read"), query(checkpointsQuery), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const { values } = c.req.valid("query");
    const items = await directory.checkpoints(tenant, id, {
      values: values === "1" || values === "true",
    });
    return c.json<Page<Checkpoint>>({ items });
  })
  .get("/:id/checkpoints/diff", allow("read"), query(checkpointDiffQuery), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const { from, to, run = id } = c.req.valid("query");
    const list = await directory.checkpoints(tenant, id, { values: true });
    const other = run === id ? list : await directory.checkpoints(tenant, run, { values: true });
    return c.json<CheckpointDiff>(diffCheckpoints({ list, id: from }, { list: other, id: to }));
  })
  .delete("/:id", allow("admin"), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    await directory.delete(tenant, id);
    return c.body(null, 204);
  })
  .post("/prune", allow("admin"), body(pruneBody), async (c) => {
    const { olderThan, keep, limit } = c.req.valid("json");
    const { tenant } = c.var.caller;
    const { runs: directory } = c.var.services;
    const beforeMs = Date.parse(olderThan);
    const ids = await directory.prunable({ tenant, beforeMs, keep, limit });
    const pruned = await pruneEach(ids, (id) => directory.delete(tenant, id));
    return c.json<Pruned>({ pruned, more: ids.length === limit });
  })
  .post("/:id/resume", allow("run"), body(resumeBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    return c.json<Run>(await directory.resume(tenant, id, c.req.valid("json") as ResumeRequest));
  })
  .post("/:id/events/:name", allow("run"), body(sendEventBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    const { payload = null, id: eventId } = c.req.valid("json");
    const event = { name: c.req.param("name"), payload };
    const known = eventId === undefined ? event : { ...event, id: eventId };
    return c.json<EventReceipt, 202>(await directory.sendEvent(tenant, id, known), 202);
  })
  .post("/:id/cancel", allow("run"), body(cancelBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    return c.json<Run>(await directory.cancel(tenant, id, c.req.valid("json").reason));
  })
  .post("/:id/pause", allow("run"), body(emptyBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    return c.json<Run>(await directory.pause(tenant, id));
  })
  .post("/:id/unpause", allow("run"), body(emptyBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    return c.json<Run>(await directory.unpause(tenant, id));
  })
  .post("/:id/replay", allow("run"), body(forkBody), async (c) => {
    const run = await forked(c, c.req.param("id"), c.req.valid("json"));
    return c.json<StartedRun, 202>(startedRun(run), 202, { location: `/runs/${run.id}` });
  })
  .post("/:id/fork", allow("run"), body(forkBody), async (c) => {
    const run = await forked(c, c.req.param("id"), c.req.valid("json"));
    return c.json<StartedRun, 202>(startedRun(run), 202, { location: `/runs/${run.id}` });
  });

function target(c: Context<HttpEnv>, id: string) {
  return { directory: c.var.services.runs, tenant: c.var.caller.tenant, id: runIdOf(id) };
}

export type Pruned = {
  readonly pruned: readonly string[];
  /** True when there may be more: ask again. */
  readonly more: boolean;
};

/** Objects that are asked at once. */
const WIDTH = 5;

/** Deletes one after another, a few at once. One that is gone already counts; one that goes on again is left alone. */
async function pruneEach(
  ids: readonly string[],
  remove: (id: string) => Promise<void>,
): Promise<readonly string[]> {
  const pruned: string[] = [];
  for (let start = 0; start < ids.length; start += WIDTH) {
    await Promise.all(
      ids.slice(start, start + WIDTH).map(async (id) => {
        try {
          await remove(id);
        } catch (error) {
          if (!EngineError.is(error) || !["not_found", "conflict"].includes(error.code))
            throw error;
          if (error.code === "conflict") return;
        }
        pruned.push(id);
      }),
    );
  }
  return pruned;
}

/** Replay and fork are one thing under two names: a new run that takes over another one's record up to a point. */
async function forked(c: Context<HttpEnv>, given: string, request: ForkBody): Promise<Run> {
  const { inputs, branch } = request;
  const { directory, tenant, id } = target(c, given);
  if (inputs !== undefined) checkInputs(inputs);
  const newId =
    (await givenRunId(request.id, c.req.header("idempotency-key"))) ?? c.var.services.randomId();
  if (newId === id)
    throw invalidInput("the new run needs an id of its own", [
      { path: "/id", message: `expected an id other than the run's own, got "${id}"` },
    ]);
  return directory.fork(tenant, id, { newId, from: forkPoint(request), inputs, branch });
}

function forkPoint({ fromStep, fromTask, fromMethod, fromCheckpoint }: ForkBody): ForkPoint {
  const points = [
    ...(fromMethod === undefined ? [] : [{ fromTask: fromMethod }]),
    ...(fromStep === undefined ? [] : [{ fromStep }]),
    ...(fromTask === undefined ? [] : [{ fromTask }]),
    ...(fromCheckpoint === undefined ? [] : [{ fromCheckpoint }]),
  ];
  const [point, another] = points;
  if (point !== undefined && another === undefined) return point;
  const came = point === undefined ? "neither" : points.length === 2 ? "both" : "all";
  throw invalidInput("the request body does not fit", [
    {
      path: "",
      message: `expected either fromTask, fromMethod, fromStep or fromCheckpoint, got ${came}`,
    },
  ]);
}

/** A type that is none would be waited for in vain. */
function checkTypes(types: string | undefined): void {
  for (const type of types?.split(",") ?? []) {
    const name = type.trim();
    if (name === "" || EVENT_TYPES.has(name)) continue;
    throw invalidInput("the query does not fit", [
      {
        path: "/types",
        message: `expected event types, such as task_completed; got ${preview(name)}`,
      },
    ]);
  }
}
