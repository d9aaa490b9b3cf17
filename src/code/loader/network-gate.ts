// The network of code that may ask some hosts: all of its requests pass through an isolate of ours, which knows those hosts alone.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import { checkOutboundUrl, type OutboundPolicy } from "../../security/outbound.ts";
import type { CodeNetwork } from "../code-runner.ts";
import type { CodeLoader } from "./code-loader.ts";

/** Asks hosts of the list alone; redirects come back to whoever asked, so that each is checked anew. */
const GATE = String.raw`
export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const isOf = (entry) => entry.startsWith("*.") ? url.host.endsWith(entry.slice(1)) : url.host === entry;
    if (!/^https?:$/.test(url.protocol) || url.username !== "" || !env.HOSTS.some(isOf))
      return new Response("This code may not ask " + url.host, { status: 403 });
    return fetch(new Request(request, { redirect: "manual" }));
  },
};
`;

/** What sends the requests of code: nobody, or a gate to some hosts. */
export function networkOf(loader: CodeLoader, network: CodeNetwork): unknown {
  if (network === false) return null;
  const worker = loader.load({
    compatibilityDate: "2026-08-15",
    compatibilityFlags: [],
    mainModule: "gate.js",
    modules: { "gate.js": GATE },
    env: { HOSTS: [...network.hosts] },
    globalOutbound: undefined,
    limits: { cpuMs: 1_000, subRequests: 50 },
  });
  return worker.getEntrypoint();
}

/** Throws `invalid_definition` for hosts that code may not be allowed: no public names, patterns of other forms. */
export function checkNetwork(network: unknown, owner: string, policy: OutboundPolicy = {}): void {
  const hosts =
    (network as { readonly hosts?: unknown } | false) && (network as { hosts?: unknown }).hosts;
  if (network === false) return;
  if (!Array.isArray(hosts) || hosts.length === 0)
    throw invalidDefinition(
      `${owner}: network must be false or { hosts: ["api.example.com"] }, got ${preview(network)}`,
    );
  for (const host of hosts as unknown[]) {
    const name = typeof host === "string" ? host.replace(/^\*\./, "") : "";
    if (name === "" || !/^[\w.:[\]-]+$/.test(name))
      throw invalidDefinition(
        `${owner}: network.hosts has names such as "api.example.com" or "*.example.com", got ${preview(host)}`,
      );
    checkOutboundUrl(`https://${name}/`, `${owner}: network.hosts`, policy);
  }
}
