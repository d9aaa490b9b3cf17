// Checks that a request with automatic credentials of the browser comes from a page of this Worker.
import { HttpError } from "../parts/problem.ts";

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Fails with `csrf` for a change or a WebSocket upgrade from another origin. Runs before the body is read. */
export function checkOwnOrigin(
  request: Request,
  { mayBeNoBrowser = false }: { readonly mayBeNoBrowser?: boolean } = {},
): void {
  const { headers, method, url } = request;
  const upgrades = headers.get("upgrade")?.toLowerCase() === "websocket";
  if (SAFE.has(method) && !upgrades) return;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (origin !== null) {
    if (origin === new URL(url).origin) return;
  } else if (site === "same-origin" || (site === null && mayBeNoBrowser)) return;
  throw new HttpError(
    "csrf",
    `a browser's session may be used by pages of ${new URL(url).origin} alone, and this request ${origin === null ? "does not say where it comes from" : `comes from ${origin}`}: other programs send an API key`,
  );
}
