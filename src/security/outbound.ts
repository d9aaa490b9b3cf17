// Requests to addresses named by people or models: webhooks, pages to read.
//
//   OU1. Only http and https, without credentials in the address; never to an address or name of a private network, of
//        this machine or of a cloud's metadata service, in any notation.
//   OU2. Each redirect is checked like the first address. A request with a body follows only redirects that keep it
//        (307, 308), or all, if it may become a GET (301 to 303).
//   OU3. No IPv6 address with an embedded IPv4 one (compatible, NAT64, 6to4, Teredo, ISATAP); a mapped one is checked
//        as its IPv4 address.
//   OU4. Secrets of a request stay with the first origin: headers with credentials, and those named private, are
//        dropped permanently when a redirect leaves it.
//   OU5. Lists of hosts restrict the allowed addresses, on every redirect; they never extend them.
//   - DNS names that resolve to a private address are not detected here: Cloudflare's network does not connect to
//     those.
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
  /** Only allowed hosts. @default all public hosts */
  readonly allowHosts?: readonly string[] | undefined;
  /** Refused hosts. @default [] */
  readonly denyHosts?: readonly string[] | undefined;
};

export type OutboundRequest = OutboundPolicy & {
  /** The name of the URL's field in error messages. */
  readonly field: string;
  readonly init?: RequestInit;
  /** Maximum number of redirects. @default 3 */
  readonly maxRedirects?: number;
  /**
   * Repeats a POST redirected by 301, 302 or 303 as a GET without its body, as browsers do. @default false: the
   * redirect is the result
   */
  readonly postBecomesGet?: boolean;
  /** Names of headers only for the first origin, beside known credential headers. */
  readonly privateHeaders?: readonly string[];
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

/** Response to a request, and the address it came from. */
export type OutboundAnswer = { readonly response: Response; readonly url: URL };

const MAX_REDIRECTS = 3;
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization", "x-api-key"];
const OF_BODIES = ["content-type", "content-length", "content-encoding", "content-language"];
/** Names that exist only in private networks. */
const PRIVATE_NAMES =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|home\.arpa|localdomain)$/;
/** Public by their range, and answered by clouds to their own machines: Azure, Alibaba, Oracle. */
const CLOUD_SERVICES: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
]);

/** Parses an address and checks it by OU1. Throws `invalid_input`, which names the field. */
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

/**
 * True if a URL's host (`URL.hostname`, which writes numbers of any notation dotted) is private or not a public name.
 */
function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const address = ipAddress(host);
  if (address !== undefined) return isPrivateAddress(address);
  const labels = host.split(".");
  // Some resolvers read a name with a number as its last label, or with an empty label, as an address.
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

/** Like `fetch`, by OU1 to OU5. Throws `invalid_input` for a refused address, and the errors of `fetch`. */
export async function outboundFetch(address: string, request: OutboundRequest): Promise<Response> {
  return (await outboundRequest(address, request)).response;
}

/** Like `outboundFetch`, with the final address after redirects. */
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

/** Returns the request for the address of a redirect; undefined if the redirect is not followed. */
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
