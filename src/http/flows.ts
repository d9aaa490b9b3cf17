import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import { needDeclarativeFlows } from "../flow/declarative-flows.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { keyOfCursor } from "./cursor.ts";
import { readDefinitionBody } from "./definition-body.ts";
import { findFlow } from "./find-flow.ts";
import { flowView, storedFlowView, type FlowDetails, type FlowView } from "./flow-view.ts";
import { startRun } from "./kickoff.ts";
import { query } from "./query.ts";
import { findRegistered } from "./registered.ts";
import { body } from "./request-body.ts";
import { kickoffBody, pageQuery } from "./schemas.ts";
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
  .post("/:name/kickoff", allow("run"), body(kickoffBody), async (c) => {
    const { services, caller } = c.var;
    const name = c.req.param("name");
    const { inputs = {}, id, meta, webhooks } = c.req.valid("json");
    const targets = webhookTargets(webhooks, services);
    const found = await findFlow(services, caller.tenant, name);
    found.flow.checkKickoff(inputs);
    return startRun(c, id, {
      kind: "flow",
      name,
      inputs,
      ...(found.source === "stored" ? { definition: found.declaration } : undefined),
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  });
