import { Hono, type Context } from "hono";
import type { Page, RunSummary } from "../runtime/run-directory.ts";
import type { ResumeRequest } from "../runtime/run-handle.ts";
import type { Run, Step } from "../runtime/run.ts";
import { checkInputs } from "../crew/interpolate.ts";
import { allow } from "./auth.ts";
import { preferredWait } from "./prefer.ts";
import { invalidInput } from "./problem.ts";
import { query } from "./query.ts";
import { body } from "./request-body.ts";
import {
  cancelBody,
  emptyBody,
  forkBody,
  journalQuery,
  listRunsQuery,
  resumeBody,
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
    return directory.events(tenant, id, c.req.raw);
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
  .post("/:id/resume", allow("run"), body(resumeBody), async (c) => {
    const { directory, tenant, id } = target(c, c.req.param("id"));
    return c.json<Run>(await directory.resume(tenant, id, c.req.valid("json") as ResumeRequest));
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

/** Replay and fork are one thing under two names: a new run that takes over another one's record up to a point. */
async function forked(
  c: Context<HttpEnv>,
  given: string,
  { fromStep, fromTask, inputs, id: givenId }: ForkBody,
): Promise<Run> {
  const { directory, tenant, id } = target(c, given);
  if (inputs !== undefined) checkInputs(inputs);
  const newId =
    (await givenRunId(givenId, c.req.header("idempotency-key"))) ?? c.var.services.randomId();
  if (newId === id)
    throw invalidInput("the new run needs an id of its own", [
      { path: "/id", message: `expected an id other than the run's own, got "${id}"` },
    ]);
  if (fromStep !== undefined && fromTask === undefined)
    return directory.fork(tenant, id, { newId, from: { fromStep }, inputs });
  if (fromTask !== undefined && fromStep === undefined)
    return directory.fork(tenant, id, { newId, from: { fromTask }, inputs });
  const came = fromStep === undefined ? "neither" : "both";
  throw invalidInput("the request body does not fit", [
    { path: "", message: `expected either fromTask or fromStep, got ${came}` },
  ]);
}
