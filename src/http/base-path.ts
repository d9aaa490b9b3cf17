// Support for an API mounted below a path of another Worker.
import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import type { OperationAnswer } from "../parts/operation-answer.ts";

/** Fails with `invalid_definition` for anything but a path such as `/ai`. */
export function checkBasePath(path: string): string {
  if (/^(\/[\w.~-]+)*$/.test(path) && !/\/\.{1,2}(\/|$)/.test(path)) return path;
  throw new EngineError(
    "invalid_definition",
    `basePath must begin with a slash and end without one, such as "/ai", got ${JSON.stringify(path)}`,
  );
}

/** Removes the base path from the request's URL, unless the outer Worker has already removed it. */
export function withoutBasePath(request: Request, basePath: string): Request {
  if (basePath === "") return request;
  const url = new URL(request.url);
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return request;
  url.pathname = url.pathname.slice(basePath.length) || "/";
  return new Request(url, request);
}

/** Returns the answer with its `links` and its `Location` below the base path. */
export function belowBasePath(answer: OperationAnswer, basePath: string): OperationAnswer {
  if (basePath === "") return answer;
  const below = (path: string): string => (path.startsWith("/") ? basePath + path : path);
  if (answer instanceof Response) {
    const location = answer.headers.get("location");
    if (location === null) return answer;
    const headers = new Headers(answer.headers);
    headers.set("location", below(location));
    return new Response(answer.body, { status: answer.status, headers });
  }
  const { json, headers } = answer;
  return {
    ...answer,
    ...(json === undefined ? undefined : { json: withLinks(json, below) }),
    ...(headers?.["location"] === undefined
      ? undefined
      : { headers: { ...headers, location: below(headers["location"]) } }),
  };
}

function withLinks(json: object, below: (path: string) => string): object {
  const { links } = json as { readonly links?: unknown };
  if (!isJsonObject(links)) return json;
  const placed = Object.entries(links).map(([name, link]) => [
    name,
    typeof link === "string" ? below(link) : link,
  ]);
  return { ...json, links: Object.fromEntries(placed) as object };
}
