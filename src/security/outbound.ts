// Requests to addresses that people or models name: webhooks, pages to read.
//
//   OU1. Only http and https, without credentials in the address; never to an address or name of a private network, of
//        this machine or of a cloud's metadata service, however it is written.
//   OU2. Each redirect is checked like the first address. A request with a body follows only those that keep it (307, 308).
//   OU3. No IPv6 address that carries an IPv4 one (compatible, NAT64, 6to4, Teredo, ISATAP); a mapped one is that IPv4 address.
//   - Names that DNS answers with a private address are not seen here: Cloudflare's network does not connect to those.
import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { systemFetch } from "../base/system.ts";

export type OutboundPolicy = {
  /** Allows requests to this machine and to private networks, for tests and development. @default false */
  readonly allowPrivate?: boolean;
};

export type OutboundRequest = OutboundPolicy & {
  /** The name of the URL's field in error messages. */
  readonly field: string;
  readonly init?: RequestInit;
  /** The largest number of redirects that are followed. @default 3 */
  readonly maxRedirects?: number;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

const MAX_REDIRECTS = 3;
/** Names that only a private network answers to. */
const PRIVATE_NAMES =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|home\.arpa|localdomain)$/;
/** Public by their range, and answered by clouds to their own machines: Azure, Alibaba, Oracle. */
const CLOUD_SERVICES: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
]);

/** The address, checked by OU1. Throws `invalid_input` that names the field. */
export function checkOutboundUrl(
  address: unknown,
  field: string,
  policy: OutboundPolicy = {},
): URL {
  const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refused(field, "must be an http or https URL", address);
  if (url.username !== "" || url.password !== "")
    throw refused(field, "must not hold a user name or password", `${url.protocol}//…@${url.host}`);
  if (policy.allowPrivate !== true && isPrivateHost(url.hostname))
    throw refused(field, "must not be an address of a private network or of this machine", address);
  return url;
}

/** Whether a URL's host (`URL.hostname`: numbers in any spelling are dotted there) is private or no public name. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  if (ipaddr.isValid(host)) return isPrivateAddress(ipaddr.process(host));
  const labels = host.split(".");
  // A name whose last label is a number, or that has an empty one, is an address that some resolvers know how to read.
  const isOdd = labels.includes("") || /^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? "");
  return labels.length < 2 || isOdd || PRIVATE_NAMES.test(host);
}

function isPrivateAddress(address: IPv4 | IPv6): boolean {
  if (address.range() !== "unicast") return true;
  if (!("parts" in address)) return CLOUD_SERVICES.has(address.toString());
  const { parts } = address;
  const isCompatible = parts.slice(0, 6).every((part) => part === 0);
  const isIsatap = parts[5] === 0x5efe && ((parts[4] ?? 0) & 0xfdff) === 0;
  return isCompatible || isIsatap;
}

/** As `fetch`, by OU1 and OU2. Throws `invalid_input` for an address that is refused, and whatever `fetch` throws. */
export async function outboundFetch(address: string, request: OutboundRequest): Promise<Response> {
  const { field, init = {}, maxRedirects = MAX_REDIRECTS, fetch: send = systemFetch } = request;
  let url = checkOutboundUrl(address, field, request);
  const keepsOnly = !/^(GET|HEAD)$/i.test(init.method ?? "GET");
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    const follows = keepsOnly ? /^30[78]$/ : /^30[12378]$/;
    if (location === null || !follows.test(String(response.status))) return response;
    await response.body?.cancel();
    if (redirects >= maxRedirects)
      throw refused(field, `must not redirect more than ${maxRedirects} times`, address);
    const next = URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
    url = checkOutboundUrl(next, `${field} redirects to an address that`, request);
  }
}

function refused(field: string, rule: string, address: unknown): EngineError {
  return new EngineError("invalid_input", `${field} ${rule}, got ${preview(address, 200)}`);
}
