// Patterns of operation paths, for the router and for the answer with the methods of a path.
import type { Operation } from "../parts/operation.ts";

/** Matches the rest of a path. A dot would stop at a line break, which paths may have as `%0A`. */
const REST = "[^]+";

/** Returns the path in the form of Hono's router: `/runs/:id/files/:path{[^]+}`. */
export function routePath({ path }: Pick<Operation, "path">): string {
  return path.replace(/\{(\w+)\}/g, ":$1").replace(/\{\+(\w+)\}$/, `:$1{${REST}}`);
}

/** Matches the decoded paths of a route, with or without a slash at the end. */
export function pathPattern(route: string): RegExp {
  const parts = route
    .split("/")
    .map((part) => (part.startsWith(":") ? valuePattern(part) : part.replaceAll(".", "\\.")));
  return new RegExp(`^${parts.join("/")}/?$`);
}

function valuePattern(part: string): string {
  return part.endsWith(`{${REST}}`) ? REST : "[^/]+";
}
