// Requests to addresses that people or models name: webhooks, pages to read.
//
//   OU1. Only http and https, without credentials in the address; never to an address or name of a private network, of
//        this machine or of a cloud's metadata service, however it is written.
//   OU2. Each redirect is checked like the first address. A request with a body follows only those that keep it (307, 308), or
//        all, where it may become a GET (301 to 303).
//   OU3. No IPv6 address that carries an IPv4 one (compatible, NAT64, 6to4, Teredo, ISATAP); a mapped one is that IPv4 address.
//   OU4. What is secret in a request stays with the first origin: headers with credentials, and those named private, are dropped
//        for good when a redirect leaves it.
//   OU5. Lists of hosts narrow where a request may go, on every redirect; they never widen it.
//   - Names that DNS answers with a private address are not seen here: Cloudflare's network does not connect to those.
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import { systemFetch } from "../base/system.ts";
import { isListed } from "./host-list.ts";
import { ipAddress, isPublicAddress, type IpAddress } from "./ip-address.ts";

export type OutboundPolicy = HostLists & {
  /** Allows requests to this machine and to private networks, for tests and development. @default false */
  readonly allowPrivate?: boolean;
};

/** Hosts, as `example.com` or `*.example.com`. */
export type HostLists = {
  /** No others are asked. @default all that are public */
  readonly allowHosts?: readonly string[] | undefined;
  /** These are not asked. @default none */
  readonly denyHosts?: readonly string[] | undefined;
};

export type OutboundRequest = OutboundPolicy & {
  /** The name of the URL's field in error messages. */
  readonly field: string;
  readonly init?: RequestInit;
  /** The largest number of redirects that are followed. @default 3 */
  readonly maxRedirects?: number;
  /** A POST that is redirected by 301, 302 or 303 goes on as a GET without its body, as browsers do it. @default false: that answer is the result */
  readonly postBecomesGet?: boolean;
  /** Names of headers that only the first origin receives, beside those that carry credentials by their name. */
  readonly privateHeaders?: readonly string[];
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

/** The answer to a request, and the address that gave it. */
export type OutboundAnswer = { readonly response: Response; readonly url: URL };

const MAX_REDIRECTS = 3;
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization", "x-api-key"];
const OF_BODIES = ["content-type", "content-length", "content-encoding", "content-language"];
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
  const { allowHosts, denyHosts } = policy;
  if (allowHosts !== undefined && !isListed(url, allowHosts))
    throw refused(field, `must be of a host that is allowed (${allowHosts.join(", ")})`, url.host);
  if (isListed(url, denyHosts))
    throw refused(field, "must not be of a host that is denied", url.host);
  return url;
}

/** Whether a URL's host (`URL.hostname`: numbers in any spelling are dotted there) is private or no public name. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const address = ipAddress(host);
  if (address !== undefined) return isPrivateAddress(address);
  const labels = host.split(".");
  // A name whose last label is a number, or that has an empty one, is an address that some resolvers know how to read.
  const isOdd = labels.includes("") || /^(\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? "");
  return labels.length < 2 || isOdd || PRIVATE_NAMES.test(host);
}

function isPrivateAddress(address: IpAddress): boolean {
  if (!isPublicAddress(address)) return true;
  const [first = 0, second = 0] = address;
  if (address.length === 2) return CLOUD_SERVICES.has(dotted(first, second));
  const isCompatible = address.slice(0, 6).every((word) => word === 0);
  const isIsatap = address[5] === 0x5efe && ((address[4] ?? 0) & 0xfdff) === 0;
  return isCompatible || isIsatap;
}

function dotted(...words: readonly number[]): string {
  return words.flatMap((word) => [word >> 8, word & 255]).join(".");
}

/** As `fetch`, by OU1 to OU5. Throws `invalid_input` for an address that is refused, and whatever `fetch` throws. */
export async function outboundFetch(address: string, request: OutboundRequest): Promise<Response> {
  return (await outboundRequest(address, request)).response;
}

/** As `outboundFetch`, with the address that redirects have led to. */
export async function outboundRequest(
  address: string,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const { field, maxRedirects = MAX_REDIRECTS, fetch: send = systemFetch } = request;
  let { init = {} } = request;
  let url = checkOutboundUrl(address, field, request);
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    const next = location === null ? undefined : redirected(init, response.status, request);
    if (location === null || next === undefined) return { response, url };
    await response.body?.cancel();
    if (redirects >= maxRedirects)
      throw refused(field, `must not redirect more than ${maxRedirects} times`, address);
    const target = URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
    const from = url.origin;
    url = checkOutboundUrl(target, `${field} redirects to an address that`, request);
    init = url.origin === from ? next : withoutPrivate(next, request);
  }
}

/** What is sent on to the address of a redirect; undefined where the redirect is not followed. */
function redirected(
  init: RequestInit,
  status: number,
  { postBecomesGet }: OutboundRequest,
): RequestInit | undefined {
  const method = init.method?.toUpperCase() ?? "GET";
  const isRead = method === "GET" || method === "HEAD";
  if (status === 307 || status === 308) return init;
  if (status !== 301 && status !== 302 && status !== 303) return undefined;
  if (isRead) return init;
  if (postBecomesGet !== true || (method !== "POST" && status !== 303)) return undefined;
  const { body: _, ...rest } = init;
  return { ...rest, method: "GET", headers: without(init.headers, OF_BODIES) };
}

function withoutPrivate(
  init: RequestInit,
  { privateHeaders = [] }: Pick<OutboundRequest, "privateHeaders">,
): RequestInit {
  if (init.headers === undefined) return init;
  return { ...init, headers: without(init.headers, [...CREDENTIALS, ...privateHeaders]) };
}

function without(headers: RequestInit["headers"], names: readonly string[]): Headers {
  const left = new Headers(headers);
  for (const name of names) left.delete(name);
  return left;
}

function refused(field: string, rule: string, address: unknown): EngineError {
  return new EngineError("invalid_input", `${field} ${rule}, got ${preview(address, 200)}`);
}
