import { EngineError } from "../../base/error.ts";
import { log } from "../../base/log.ts";
import type { Context } from "hono";
import { Hono } from "hono/tiny";
import type { Operation } from "../../parts/operation.ts";
import { readQuery } from "../../parts/query.ts";
import { readBody } from "../../parts/request-body.ts";
import { belowBasePath } from "../base-path.ts";
import { routePath } from "../route-path.ts";
import type { RestrictedCall } from "../../parts/caller.ts";
import type { OperationAnswer } from "../../parts/operation-answer.ts";
import { askedToken } from "../../parts/token-issuer.ts";
import { checkScope } from "../../parts/rights.ts";
import { checkOperator, checkRecentLogin } from "./auth.ts";
import { whileKeyIsValid } from "./open-streams.ts";
import type { AppServices, Caller, HttpEnv } from "../services.ts";

/** Returns the routes of the operations that need no key, or of those that need one. */
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
  app.on(operation.method.toUpperCase(), [routePath(operation)], (c) => logged(c, operation));
}

/** Logs every request with its status, including refused and failed ones. */
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

async function answer(c: Context<HttpEnv>, operation: Operation): Promise<Response> {
  const { services } = c.var;
  const isOpen = operation.scope === "none";
  const caller: Caller = isOpen ? { tenant: "", scopes: [], via: "open" } : c.var.caller;
  const { only } = caller;
  const { basePath = "" } = services;
  const call: RestrictedCall = {
    route: `${operation.method} ${operation.path}`,
    params: c.req.param(),
    request: c.req.raw,
  };
  let handled: OperationAnswer;
  try {
    const raw = (await only?.admit(call)) ?? call.request;
    handled = await perform(operation, { caller, raw, params: call.params, services });
    if (only !== undefined) handled = await only.shown(handled, call);
  } catch (error) {
    throw only === undefined ? error : only.failed(error, call);
  }
  const result = belowBasePath(handled, basePath);
  if (result instanceof Response) return whileKeyIsValid(result, caller, services);
  const { status, json, headers } = result;
  return json === undefined
    ? c.body(null, status, { ...headers })
    : c.json(json, status as 200, { ...headers });
}

async function perform(
  { scope, operatorOnly = false, recentLogin = false, query, body: bodySpec, handle }: Operation,
  {
    caller,
    raw,
    params,
    services,
  }: {
    readonly caller: Caller;
    readonly raw: Request;
    readonly params: Readonly<Record<string, string>>;
    readonly services: AppServices;
  },
): Promise<OperationAnswer> {
  const { tenant, scopes, by, endsAtMs, person } = caller;
  const author = by ?? caller.keyName;
  if (scope !== "none" && scope !== "key") checkScope(caller, scope);
  if (operatorOnly) checkOperator(caller);
  if (recentLogin) checkRecentLogin(caller, services.clock.now());
  const sent =
    bodySpec === undefined ? {} : await readBody(raw, bodySpec.schema, services.maxBodyBytes);
  const { rest: body, wish, add } = askedToken(sent, { services, caller });
  const answered = await handle({
    tenant,
    scopes,
    via: caller.via,
    callerId: caller.keyHash ?? caller.id ?? "",
    ...(by === undefined ? undefined : { by }),
    ...(person === undefined ? undefined : { person }),
    ...(author === undefined ? undefined : { author }),
    ...(endsAtMs === undefined ? undefined : { endsAtMs }),
    ...(wish === undefined ? undefined : { wish }),
    params,
    query: query === undefined ? {} : readQuery(raw, query),
    body,
    raw,
  });
  return add(answered);
}
