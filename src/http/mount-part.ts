import type { MiddlewareHandler } from "hono";
import { Hono } from "hono/tiny";
import type { ApiPart, PartOperation } from "../runtime/api-part.ts";
import { allow } from "./auth.ts";
import { query } from "./query.ts";
import { body } from "./request-body.ts";
import type { HttpEnv } from "./services.ts";

/** The routes of these parts: those that need no key, or those that do. */
export function mountParts(parts: readonly ApiPart[], access: "open" | "keyed"): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  for (const operation of parts.flatMap(({ operations }) => operations)) {
    if ((operation.scope === "none") === (access === "open")) mount(app, operation);
  }
  return app;
}

function mount(app: Hono<HttpEnv>, { scope, handle, ...operation }: PartOperation): void {
  const checks: MiddlewareHandler<HttpEnv>[] = [
    ...(scope === "none" ? [] : [allow(scope)]),
    ...(operation.query === undefined ? [] : [query(operation.query)]),
    ...(operation.body === undefined ? [] : [body(operation.body.schema)]),
  ];
  const path = operation.path.replace(/\{(\w+)\}/g, ":$1");
  app.on(operation.method.toUpperCase(), [path], ...checks, async (c) => {
    const checked = c.req as unknown as { valid(target: "query" | "json"): object };
    const { status, json, headers } = await handle({
      tenant: scope === "none" ? "" : c.var.caller.tenant,
      scopes: scope === "none" ? [] : c.var.caller.scopes,
      params: c.req.param(),
      query: operation.query === undefined ? {} : checked.valid("query"),
      body: operation.body === undefined ? {} : checked.valid("json"),
      raw: c.req.raw,
    });
    return json === undefined
      ? c.body(null, status, { ...headers })
      : c.json(json, status as 200, { ...headers });
  });
}
