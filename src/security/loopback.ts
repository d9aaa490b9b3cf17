import { ipAddress, isLoopbackAddress } from "./ip-address.ts";

/** True for a host of this machine: `localhost`, names below it, 127.0.0.0/8 and ::1; as `URL.hostname` has it. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const address = ipAddress(host);
  if (address !== undefined) return isLoopbackAddress(address);
  return host === "localhost" || /^[^.]+(\.[^.]+)*\.localhost$/.test(host);
}

/** True for a request to this machine, by its address and by its `Host` header, on any port. */
export function isLoopbackRequest({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const host = headers.get("host");
  return isLoopbackHost(new URL(url).hostname) && (host === null || isLoopbackHost(nameOf(host)));
}

/** Returns the host name of an address; empty for an invalid one. */
function nameOf(host: string): string {
  const address = `http://${host}`;
  if (/[/?#@\\]/.test(host) || !URL.canParse(address)) return "";
  return new URL(address).hostname;
}

/** True for a page of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.origin === origin && isLoopbackHost(url.hostname);
}
