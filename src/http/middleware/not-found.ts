import type { Context, Hono } from "hono";
import { EngineError } from "../../base/error.ts";
import { HttpError, problemResponse } from "../../parts/problem.ts";
import { pathPattern } from "../route-path.ts";
import type { HttpEnv } from "../services.ts";

type RouteList = Pick<Hono<HttpEnv>, "routes">;

/** Answers 405 with `Allow` if the path exists with another method, otherwise 404. */
export function notFound(app: RouteList): (c: Context<HttpEnv>) => Response {
  let paths: ReadonlyArray<{ method: string; pattern: RegExp }> | undefined;
  return (c) => {
    paths ??= app.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => ({ method, pattern: pathPattern(path) }));
    const { method, path } = c.req;
    const methods = new Set(
      paths.filter(({ pattern }) => pattern.test(path)).map((route) => route.method),
    );
    if (methods.size === 0)
      return problemResponse(
        new EngineError("not_found", `no route matches ${path}; /docs lists all routes`),
      );
    if (methods.has("GET")) methods.add("HEAD");
    const allowed = [...methods].toSorted().join(", ");
    const message = `${path} takes ${allowed}, got ${method}`;
    return problemResponse(
      new HttpError("invalid_input", message, { status: 405, headers: { allow: allowed } }),
    );
  };
}
