// Requests of pages from other origins.
//
//   O1. By default, no page of another origin can read answers in `keys` mode. In `open` mode, pages of this machine
//       can.
//   O2. In `open` mode, the browser is the only credential, so every request of a page from another origin is refused.
//       This includes requests without a preflight: simple changes and WebSocket upgrades.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { ANSWER_HEADERS } from "../../parts/headers.ts";
import { HttpError } from "../../parts/problem.ts";
import { isLoopbackOrigin } from "../../security/loopback.ts";
import type { AppServices, HttpEnv } from "../services.ts";

/** CORS headers and preflight answers. WebSocket upgrades get no headers, because their answer cannot be changed. */
export function crossOrigin({ auth, cors: settings }: AppServices): MiddlewareHandler<HttpEnv> {
  const isOpen = auth.mode !== "keys";
  const origins = settings?.origins;
  const isAllowed = (origin: string): boolean =>
    origins === undefined
      ? isOpen && isLoopbackOrigin(origin)
      : origins === "*" || origins.includes(origin);
  const headers = cors({
    origin: origins === "*" ? "*" : (origin) => (isAllowed(origin) ? origin : null),
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    // Without a list, the requested headers are allowed: protocols have headers of their own.
    exposeHeaders: Object.keys(ANSWER_HEADERS),
    maxAge: 600,
  });
  return (c, next) => {
    const origin = c.req.header("origin");
    const upgrades = c.req.header("upgrade")?.toLowerCase() === "websocket";
    if (
      isOpen &&
      c.req.method !== "OPTIONS" &&
      origin !== undefined &&
      origin !== new URL(c.req.url).origin &&
      !isAllowed(origin)
    ) {
      throw new HttpError(
        "forbidden",
        `pages of ${origin} may not use this Worker: add the origin to its CORS setting`,
      );
    }
    return upgrades ? next() : headers(c, next);
  };
}
