import { Hono } from "hono/tiny";
import type { BuiltFlow } from "../flow/flow.ts";
import type { MethodDefinition } from "../flow/flow-definition.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { startRun } from "./kickoff.ts";
import { query } from "./query.ts";
import { sendPlot } from "./plots.ts";
import { findRegistered, pageOf } from "./registered.ts";
import { body } from "./request-body.ts";
import { kickoffBody, pageQuery, plotQuery } from "./schemas.ts";
import type { AppServices, HttpEnv } from "./services.ts";
import { webhookTargets } from "./webhook-targets.ts";

/** A flow as the API shows it: its methods, and what wakes each of them. */
export type FlowView = {
  readonly name: string;
  readonly description?: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
};

export const flows = new Hono<HttpEnv>()
  .get("/", allow("read"), query(pageQuery), (c) => {
    const { flows: registered = {} } = c.var.services;
    return c.json<Page<FlowView>>(pageOf(registered, c.req.valid("query"), flowView));
  })
  .get("/:name", allow("read"), (c) => {
    const name = c.req.param("name");
    return c.json<FlowView>(flowView(name, findFlow(c.var.services, name)));
  })
  .get("/:name/plot", allow("read"), query(plotQuery), (c) => {
    const flow = findFlow(c.var.services, c.req.param("name"));
    return sendPlot(c, flow, { format: c.req.valid("query").format });
  })
  .post("/:name/kickoff", allow("run"), body(kickoffBody), (c) => {
    const name = c.req.param("name");
    const { inputs = {}, id, meta, webhooks } = c.req.valid("json");
    const targets = webhookTargets(webhooks, c.var.services);
    findFlow(c.var.services, name).checkKickoff(inputs);
    return startRun(c, id, {
      kind: "flow",
      name,
      inputs,
      ...(meta === undefined ? undefined : { meta }),
      ...targets,
    });
  });

/** Throws `not_found`. */
export function findFlow({ flows: registered = {} }: AppServices, name: string): BuiltFlow {
  return findRegistered(registered, name, "flow");
}

function flowView(name: string, { definition }: BuiltFlow): FlowView {
  const { description, methods } = definition;
  const shown = Object.entries(methods).map(([method, given]) => [method, methodView(given)]);
  return {
    name,
    ...(description === undefined ? undefined : { description }),
    methods: Object.fromEntries(shown) as Record<string, MethodDefinition>,
  };
}

/** Without a model that is an object: it may hold what is nobody's business. */
function methodView({ humanFeedback, ...method }: MethodDefinition): MethodDefinition {
  if (humanFeedback === undefined) return method;
  const { llm, ...feedback } = humanFeedback;
  return {
    ...method,
    humanFeedback: typeof llm === "string" ? { ...feedback, llm } : feedback,
  };
}
