import { EngineError } from "../base/error.ts";
import { log } from "../base/log.ts";
import type { Operation, OperationAnswer } from "../parts/operation.ts";
import { readQuery } from "../parts/query.ts";
import { readBody } from "../parts/request-body.ts";
import { belowBasePath } from "./base-path.ts";
import type { RestrictedCall } from "../parts/caller.ts";
import { askedToken } from "../parts/token-issuer.ts";
import { checkOperator, checkRecentLogin, checkScope } from "./middleware/auth.ts";
import { whileKeyIsValid } from "./middleware/open-streams.ts";
import type { FoundRoute } from "./routes.ts";
import type { AppServices, Caller } from "./services.ts";

type Asked = {
  readonly request: Request;
  readonly caller: Caller;
  readonly services: AppServices;
};

/** What an operation answers. A request that is refused or fails is logged by its status as well. */
export async function answerOperation(found: FoundRoute, asked: Asked): Promise<Response> {
  const { clock } = asked.services;
  const beganMs = clock.now();
  const line = (status: number | string): void =>
    log("request_answered", { operation: found.operation.id, status, ms: clock.now() - beganMs });
  try {
    const response = await answer(found, asked);
    line(response.status);
    return response;
  } catch (error) {
    line(EngineError.is(error) ? error.code : "internal");
    throw error;
  }
}

async function answer(
  { operation, params }: FoundRoute,
  { request, caller, services }: Asked,
): Promise<Response> {
  const { only } = caller;
  const { basePath = "" } = services;
  const route = `${operation.method} ${operation.path}`;
  const call: RestrictedCall = { route, params, request };
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
  if (json === undefined) return new Response(null, { status, headers: { ...headers } });
  const type = { "content-type": "application/json" };
  return new Response(JSON.stringify(json), { status, headers: { ...type, ...headers } });
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
  const { tenant, scopes, by } = caller;
  const author = by ?? caller.keyName;
  if (scope !== "none" && scope !== "key") checkScope(caller, scope);
  if (operatorOnly) checkOperator(caller);
  if (recentLogin) checkRecentLogin(caller, services.clock.now());
  const sent =
    bodySpec === undefined ? {} : await readBody(raw, bodySpec.schema, services.maxBodyBytes);
  const { rest: body, add } = askedToken(sent, { services, caller });
  const answered = await handle({
    tenant,
    scopes,
    via: caller.via,
    callerId: caller.keyHash ?? caller.id ?? "",
    ...(by === undefined ? undefined : { by }),
    ...(author === undefined ? undefined : { author }),
    params,
    query: query === undefined ? {} : readQuery(raw, query),
    body,
    raw,
  });
  return add(answered);
}
