import { EngineError } from "../../base/error.ts";
import { log } from "../../base/log.ts";
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { Operation } from "../../parts/operation.ts";
import { readBody, readQuery } from "../../parts/request-body.ts";
import { belowBasePath } from "../base-path.ts";
import { checkOperator, checkScope } from "./auth.ts";
import { whileKeyIsValid } from "./open-streams.ts";
import type { Caller, HttpEnv } from "../services.ts";

/** The routes of these operations: those that need no key, or those that do. */
export function mountOperations(
  operations: readonly Operation[],
  access: "open" | "keyed",
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const operation of operations)
    if ((operation.scope === "none") === (access === "open")) mount(app, operation);
  return app;
}

function mount(app: Hono<HttpEnv>, operation: Operation): void {
  const path = operation.path.replace(/\{(\w+)\}/g, ":$1").replace(/\{\+(\w+)\}$/, ":$1{.+}");
  app.on(operation.method.toUpperCase(), [path], (c) => logged(c, operation));
}

/** A request that is refused or fails is logged by its status as well. */
async function logged(c: Context<HttpEnv>, operation: Operation): Promise<Response> {
  const { clock } = c.var.services;
  const beganMs = clock.now();
  const line = (status: number | string): void =>
    log("request_answered", { operation: operation.id, status, ms: clock.now() - beganMs });
  try {
    const response = await answer(c, operation);
    line(response.status);
    return response;
  } catch (error) {
    line(EngineError.is(error) ? error.code : "internal");
    throw error;
  }
}

async function answer(
  c: Context<HttpEnv>,
  { scope, operatorOnly = false, query, body, handle }: Operation,
): Promise<Response> {
  const { raw } = c.req;
  const { services } = c.var;
  const caller: Caller = scope === "none" ? { tenant: "", scopes: [] } : c.var.caller;
  if (scope !== "none" && scope !== "key") checkScope(caller, scope);
  if (operatorOnly) checkOperator(caller);
  const { basePath = "" } = services;
  const handled = await handle({
    tenant: caller.tenant,
    scopes: caller.scopes,
    callerId: caller.keyHash ?? caller.id ?? "",
    params: c.req.param(),
    query: query === undefined ? {} : readQuery(raw, query),
    body: body === undefined ? {} : await readBody(raw, body.schema, services.maxBodyBytes),
    raw,
  });
  const result = belowBasePath(handled, basePath);
  if (result instanceof Response) return whileKeyIsValid(result, caller, services);
  const { status, json, headers } = result;
  return json === undefined
    ? c.body(null, status, { ...headers })
    : c.json(json, status as 200, { ...headers });
}
