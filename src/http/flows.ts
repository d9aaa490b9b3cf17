import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { needDeclarativeFlows } from "../flow/declarative-flows.ts";
import { restoreEntry } from "../flow/restore-entry.ts";
import type { Page } from "../runtime/run-directory.ts";
import type { Run } from "../runtime/run.ts";
import { allow } from "./auth.ts";
import { keyOfCursor } from "./cursor.ts";
import { readDefinitionBody } from "./definition-body.ts";
import { findFlow } from "./find-flow.ts";
import { flowView, storedFlowView, type FlowDetails, type FlowView } from "./flow-view.ts";
import { startRun } from "./kickoff.ts";
import { invalidInput } from "./problem.ts";
import { givenRunId, startedRun, type StartedRun } from "./started-run.ts";
import { query } from "./query.ts";
import { sendPlot } from "./plots.ts";
import { findRegistered } from "./registered.ts";
import { body } from "./request-body.ts";
import { flowKickoffBody, pageQuery, plotQuery, type FlowKickoffBody } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";
import { checkName, listBoth, refuseGrown, refuseRegistered } from "./stored-definitions.ts";
import { webhookTargets } from "./webhook-targets.ts";

export const flows = new Hono<HttpEnv>()
  .get("/", allow("read"), query(pageQuery), async (c) => {
    const { services, caller } = c.var;
    const { flows: registered = {} } = services;
    const { cursor, limit } = c.req.valid("query");
    const page = await listBoth<FlowView>(services, {
      kind: "flow",
      tenant: caller.tenant,
      registered: Object.keys(registered),
      ofCode: (name) => flowView(name, "code", findRegistered(registered, name, "flow")),
      ofStored: (row) => {
        const { definition: _, ...view } = storedFlowView(services, row);
        return view;
      },
      page: { after: keyOfCursor(cursor), limit },
    });
    return c.json<Page<FlowView>>(page);
  })
  .get("/:name", allow("read"), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { flows: registered = {}, definitions } = services;
    if (!Object.hasOwn(registered, name)) {
      const stored = await definitions.get(caller.tenant, "flow", name);
      if (stored !== undefined) return c.json<FlowDetails>(storedFlowView(services, stored));
    }
    return c.json<FlowDetails>(flowView(name, "code", findRegistered(registered, name, "flow")));
  })
  .get("/:name/plot", allow("read"), query(plotQuery), async (c) => {
    const { services, caller } = c.var;
    const { flow } = await findFlow(services, caller.tenant, c.req.param("name"));
    return sendPlot(c, flow, { format: c.req.valid("query").format });
  })
  .put("/:name", allow("admin"), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    refuseRegistered(services.flows ?? {}, "flow", name);
    checkName("flow", name);
    const reader = needDeclarativeFlows(services.declarativeFlows);
    const sent = await readDefinitionBody(c, (files) => reader.project(files));
    const { declaration, flow } = sent.placed(() =>
      reader.read(sent.value, { name, registry: services }),
    );
    refuseGrown(declaration, services);
    const entry = { name, definition: declaration, nowMs: services.clock.now() };
    const isNew = await services.definitions.put(caller.tenant, "flow", entry);
    const details: FlowDetails = { ...flowView(name, "stored", flow), definition: declaration };
    return isNew
      ? c.json(details, 201, { location: `/flows/${encodeURIComponent(name)}` })
      : c.json(details, 200);
  })
  .delete("/:name", allow("admin"), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    refuseRegistered(services.flows ?? {}, "flow", name);
    if (!(await services.definitions.delete(caller.tenant, "flow", name)))
      throw new EngineError("not_found", `there is no flow "${name}"`);
    return c.body(null, 204);
  })
  .post("/:name/kickoff", allow("run"), body(flowKickoffBody), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { fromCheckpoint, ...kickoff } = c.req.valid("json");
    const { inputs = {}, id, meta, webhooks, restoreFromStateId } = kickoff;
    const targets = webhookTargets(webhooks, services);
    const found = await findFlow(services, caller.tenant, name);
    if (fromCheckpoint !== undefined) {
      const run = await fromRun(c, name, { ...kickoff, fromCheckpoint });
      return c.json<StartedRun, 202>(startedRun(run), 202, { location: `/runs/${run.id}` });
    }
    found.flow.checkKickoff(inputs, restoreFromStateId);
    return startRun(c, id, {
      kind: "flow",
      name,
      inputs,
      ...(restoreFromStateId === undefined
        ? undefined
        : { entry: restoreEntry(restoreFromStateId) }),
      ...(found.source === "stored" ? { definition: found.declaration } : undefined),
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  });

/** A run that goes on from a checkpoint of another one of the flow. */
async function fromRun(
  c: Context<HttpEnv>,
  name: string,
  kickoff: FlowKickoffBody & {
    readonly fromCheckpoint: NonNullable<FlowKickoffBody["fromCheckpoint"]>;
  },
): Promise<Run> {
  const { inputs, fromCheckpoint } = kickoff;
  const { runs, randomId } = c.var.services;
  const { tenant } = c.var.caller;
  for (const field of ["restoreFromStateId", "webhooks", "meta"] as const)
    if (kickoff[field] !== undefined) throw unfit(`/${field}`, "expected nothing");
  const other = await runs.get(tenant, fromCheckpoint.run);
  if (other.kind !== "flow" || other.name !== name)
    throw unfit("/fromCheckpoint/run", `expected a run of flow "${name}"`);
  const checkpoint =
    fromCheckpoint.checkpoint ??
    (await runs.checkpoints(tenant, other.id, { values: false })).at(-1)?.id;
  if (checkpoint === undefined)
    throw new EngineError("not_found", `run ${other.id} has no checkpoint yet`);
  const newId = (await givenRunId(kickoff.id, c.req.header("idempotency-key"))) ?? randomId();
  return runs.fork(tenant, other.id, { newId, from: { fromCheckpoint: checkpoint }, inputs });
}

function unfit(path: string, message: string): EngineError {
  return invalidInput("the request body does not fit", [{ path, message }]);
}
