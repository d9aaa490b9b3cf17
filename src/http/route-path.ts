// Paths of operations as patterns, for the router and for the answer that names the methods of a path.
import type { Operation } from "../parts/operation.ts";

/** All that is left of a path. A dot would end at a line break, which paths may have as `%0A`. */
const REST = "[^]+";

/** The path as Hono's router has it: `/runs/:id/files/:path{[^]+}`. */
export function routePath({ path }: Pick<Operation, "path">): string {
  return path.replace(/\{(\w+)\}/g, ":$1").replace(/\{\+(\w+)\}$/, `:$1{${REST}}`);
}

/** The decoded paths of a route, with or without a slash at the end. */
export function pathPattern(route: string): RegExp {
  const parts = route
    .split("/")
    .map((part) => (part.startsWith(":") ? valuePattern(part) : part.replaceAll(".", "\\.")));
  return new RegExp(`^${parts.join("/")}/?$`);
}

function valuePattern(part: string): string {
  return part.endsWith(`{${REST}}`) ? REST : "[^/]+";
}
