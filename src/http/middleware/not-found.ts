import { EngineError } from "../../base/error.ts";
import { HttpError } from "../../parts/problem.ts";
import type { Routes } from "../routes.ts";

/** 405 with `Allow` if the path exists with another method, otherwise 404. */
export function notFound(routes: Routes, { path, method }: Asked): EngineError {
  const methods = new Set(routes.methodsOf(path));
  if (methods.size === 0)
    return new EngineError("not_found", `no route matches ${path}; /docs lists all routes`);
  if (methods.has("GET")) methods.add("HEAD");
  const allowed = [...methods].toSorted().join(", ");
  const message = `${path} takes ${allowed}, got ${method}`;
  return new HttpError("invalid_input", message, { status: 405, headers: { allow: allowed } });
}

type Asked = { readonly path: string; readonly method: string };
