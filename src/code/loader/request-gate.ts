// Network access of code with a list of hosts. The gate sends its requests, under the rules for all addresses that come
// from models.
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { checkOutboundUrl, outboundFetch, type OutboundPolicy } from "../../security/outbound.ts";

/** Sends a request of a guest. Returns 403 for a forbidden one. */
export type RequestGate = (request: Request) => Promise<Response>;

/** Maximum for one piece of code. */
const MAX_REQUESTS = 50;
const MAX_BODY_BYTES = 10_000_000;

/** Makes the gate of one piece of code. It allows only these hosts, also at redirects. */
export function requestGate(
  hosts: readonly string[],
  { fetch: send, outbound }: { readonly fetch: typeof fetch; readonly outbound: OutboundPolicy },
): RequestGate {
  let requests = 0;
  return async (request) => {
    if (++requests > MAX_REQUESTS) return refusal(`code may send ${MAX_REQUESTS} requests`);
    const { method, headers, url } = request;
    const body = request.body === null ? undefined : await request.arrayBuffer();
    if ((body?.byteLength ?? 0) > MAX_BODY_BYTES)
      return refusal(`a request of code may have ${MAX_BODY_BYTES} bytes`);
    try {
      return await outboundFetch(url, {
        ...outbound,
        allowHosts: hosts,
        field: "the address",
        fetch: send,
        init: { method, headers, ...(body === undefined ? undefined : { body }) },
      });
    } catch (error) {
      if (EngineError.is(error) && error.code === "invalid_input") return refusal(error.message);
      throw error;
    }
  };
}

function refusal(message: string): Response {
  return new Response(message, { status: 403 });
}

/**
 * Throws `invalid_definition` for hosts that code may not call: names that are not public, and unsupported patterns.
 */
export function checkNetwork(network: unknown, owner: string, policy: OutboundPolicy = {}): void {
  if (network === false) return;
  const { hosts } = (network ?? {}) as { readonly hosts?: unknown };
  if (!Array.isArray(hosts) || hosts.length === 0)
    throw invalidDefinition(
      `${owner}: network must be false or { hosts: ["api.example.com"] }, got ${preview(network)}`,
    );
  for (const host of hosts as unknown[]) {
    if (host === "*") continue;
    const name = typeof host === "string" ? host.replace(/^\*\./, "") : "";
    if (!/^[\w.:[\]-]+$/.test(name) || !URL.canParse(`https://${name}/`))
      throw invalidDefinition(
        `${owner}: network.hosts has names such as "api.example.com" or "*.example.com", got ${preview(host)}`,
      );
    try {
      checkOutboundUrl(`https://${name}/`, `${owner}: network.hosts`, policy);
    } catch (cause) {
      throw invalidDefinition((cause as Error).message);
    }
  }
}
