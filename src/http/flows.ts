import type { Context } from "hono";
import { Hono } from "hono/tiny";
import { EngineError } from "../base/error.ts";
import type { BuiltFlow } from "../flow/flow.ts";
import type { MethodDefinition } from "../flow/flow-definition.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow } from "./auth.ts";
import { restoreEntry } from "../flow/restore-entry.ts";
import type { Run } from "../runtime/run.ts";
import { startRun } from "./kickoff.ts";
import { invalidInput } from "./problem.ts";
import { givenRunId, startedRun, type StartedRun } from "./started-run.ts";
import { query } from "./query.ts";
import { findRegistered, pageOf } from "./registered.ts";
import { body } from "./request-body.ts";
import { flowKickoffBody, pageQuery, type FlowKickoffBody } from "./schemas.ts";
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
  .post("/:name/kickoff", allow("run"), body(flowKickoffBody), async (c) => {
    const name = c.req.param("name");
    const { fromCheckpoint, ...kickoff } = c.req.valid("json");
    const { inputs = {}, id, meta, webhooks, restoreFromStateId } = kickoff;
    const targets = webhookTargets(webhooks, c.var.services);
    const flow = findFlow(c.var.services, name);
    if (fromCheckpoint !== undefined) {
      const run = await fromRun(c, name, { ...kickoff, fromCheckpoint });
      return c.json<StartedRun, 202>(startedRun(run), 202, { location: `/runs/${run.id}` });
    }
    flow.checkKickoff(inputs, restoreFromStateId);
    return startRun(c, id, {
      kind: "flow",
      name,
      inputs,
      ...(restoreFromStateId === undefined
        ? undefined
        : { entry: restoreEntry(restoreFromStateId) }),
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

function findFlow({ flows: registered = {} }: AppServices, name: string): BuiltFlow {
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
