// Origin checks and error format of the MCP endpoint.
//
//   MG1. A page of another origin is refused with 403, unless the app lists the origin. Pages of this machine may call
//        this machine.
//   MG2. If the app lists hosts, other hosts are refused.
//   MG3. A 401 or 403 names the authorization servers.
import { HttpError } from "../../../parts/problem.ts";
import { isLoopbackOrigin, isLoopbackRequest } from "../../../security/loopback.ts";
import type { McpOptions } from "./mcp-options.ts";

/** Header with the session of a client of the older era. */
export const SESSION_HEADER = "mcp-session-id";

/** Path of the protocol. */
export const PATH = "/mcp";
/** Path of the metadata with the authorization servers. */
export const METADATA = "/.well-known/oauth-protected-resource";

const DEFAULT_SCOPES = ["run", "read"];

/** Fails with `forbidden`. */
export function checkOrigin(request: Request, { origins = [], hosts }: McpOptions): void {
  const { headers, url } = request;
  const { hostname, host, origin: own } = new URL(url);
  if (hosts !== undefined && !hosts.includes(hostname) && !hosts.includes(host))
    throw new HttpError("forbidden", `this server does not answer under the host ${host}`);
  const origin = headers.get("origin");
  if (origin === null || origin === own || origins === "*" || origins.includes(origin)) return;
  if (isLoopbackRequest(request) && isLoopbackOrigin(origin)) return;
  throw new HttpError(
    "forbidden",
    `pages of ${origin} may not use this server: add the origin to mcp({ origins })`,
  );
}

/** Returns the metadata of the protected resource (RFC 9728); undefined if the app names no servers. */
export function resourceMetadata(
  request: Request,
  { authorization, server }: McpOptions,
  basePath = "",
): object | undefined {
  if (authorization === undefined) return undefined;
  const { servers, scopes = DEFAULT_SCOPES } = authorization;
  return {
    resource: `${new URL(request.url).origin}${basePath}${PATH}`,
    authorization_servers: servers,
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
    resource_name: server?.title ?? server?.name ?? "edgecrew",
  };
}

/** Converts a problem to an error of JSON-RPC; refusals name the authorization servers. */
export async function mcpProblem(
  problem: Response,
  request: Request,
  {
    authorization,
    basePath = "",
  }: Pick<McpOptions, "authorization"> & { basePath?: string | undefined },
): Promise<Response> {
  const { detail, code: reason } = (await problem.json()) as { detail: string; code: string };
  const { status } = problem;
  const headers = new Headers(problem.headers);
  headers.set("content-type", "application/json");
  const challenge = headers.get("www-authenticate");
  if (authorization !== undefined && challenge !== null) {
    const at = `${new URL(request.url).origin}${basePath}${METADATA}${PATH}`;
    const scopes = (authorization.scopes ?? DEFAULT_SCOPES).join(" ");
    const own = challenge.includes("scope=") ? "" : `, scope="${scopes}"`;
    headers.set("www-authenticate", `${challenge}, resource_metadata="${at}"${own}`);
  }
  const code = status >= 500 ? -32603 : -32600;
  const error = { code, message: detail, data: { reason } };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error }), { status, headers });
}
