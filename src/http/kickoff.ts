import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { JsonValue } from "../base/json.ts";
import { checkBatch } from "../crew/batch.ts";
import { requireInputs } from "../crew/required-inputs.ts";
import { isTerminal, type Run, type RunStart } from "../runtime/run.ts";
import { allow } from "./auth.ts";
import { findCrew } from "../crew/find-crew.ts";
import { preferredWait } from "./prefer.ts";
import { body } from "./request-body.ts";
import { kickoffBody, kickoffForEachBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";
import { givenRunId, startedRun, type StartedRun } from "./started-run.ts";
import { webhookTargets } from "./webhook-targets.ts";

export const kickoff = new Hono<HttpEnv>()
  .post("/:name/kickoff-for-each", allow("run"), body(kickoffForEachBody), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { inputs, id, timeoutMs, meta, webhooks } = c.req.valid("json");
    const targets = webhookTargets(webhooks, services);
    const found = await findCrew(services, caller.tenant, name);
    const { maxBatchInputs: maxInputs } = services.limits ?? {};
    checkBatch(inputs, { required: found.crew.requiredInputs, maxInputs });
    return startRun(c, id, {
      kind: "batch",
      name,
      inputs: { inputs, ...(timeoutMs === undefined ? undefined : { timeoutMs }) },
      ...(found.source === "stored" ? { definition: found.definition as JsonValue } : undefined),
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  })
  .post("/:name/kickoff", allow("run"), body(kickoffBody), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { inputs = {}, id, meta, webhooks } = c.req.valid("json");
    const targets = webhookTargets(webhooks, services);
    const found = await findCrew(services, caller.tenant, name);
    requireInputs({ names: found.crew.requiredInputs, of: "crew" }, inputs);
    return startRun(c, id, {
      kind: "crew",
      name,
      inputs,
      ...(found.source === "stored" ? { definition: found.definition as JsonValue } : undefined),
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  });

/** Starts a run, or finds it by its id, and answers as the caller asked: at once, after a while, or with its events. */
export async function startRun(
  c: Context<HttpEnv>,
  givenId: string | undefined,
  what: Omit<RunStart, "id" | "tenant">,
) {
  const id = await givenRunId(givenId, c.req.header("idempotency-key"));
  return startRunAs(c, id ?? c.var.services.randomId(), what);
}

/** As `startRun`, with an id that is settled. */
export async function startRunAs(
  c: Context<HttpEnv>,
  id: string,
  what: Omit<RunStart, "id" | "tenant">,
) {
  const { runs } = c.var.services;
  const { tenant } = c.var.caller;
  const run = await runs.start({ ...what, id, tenant });
  c.header("location", `/runs/${id}`);
  if (c.req.header("accept")?.includes("text/event-stream"))
    return runs.events(tenant, id, eventsRequest(c.req.raw, id));
  const waitSeconds = preferredWait(c.req.header("prefer"));
  const latest =
    waitSeconds === undefined ? run : await runs.settled(tenant, id, waitSeconds * 1000);
  if (waitSeconds === undefined || !isTerminal(latest.status))
    return c.json<StartedRun, 202>(startedRun(latest), 202);
  return c.json<Run, 200>(latest, 200, { "preference-applied": `wait=${waitSeconds}` });
}

/** The request for a run's events that a kickoff with `Accept: text/event-stream` stands for. */
function eventsRequest(request: Request, id: string): Request {
  const url = new URL(request.url);
  url.pathname = `/runs/${id}/events`;
  const headers = new Headers({ accept: "text/event-stream" });
  const lastEventId = request.headers.get("last-event-id");
  if (lastEventId !== null) headers.set("last-event-id", lastEventId);
  return new Request(url, { headers, signal: request.signal });
}
