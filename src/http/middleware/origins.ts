// Requests of pages from other origins.
//
//   O1. By default, no page of another origin can read answers in `keys` mode. In `open` mode, pages of this machine can.
//   O2. In `open` mode, the browser is the only credential. Browsers send simple changes and WebSocket upgrades without a
//       preflight, so both are refused for pages of other origins.
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { HttpError } from "../../parts/problem.ts";
import type { AppServices, HttpEnv } from "../services.ts";

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** CORS headers and preflight answers. WebSocket upgrades get no headers, because their answer cannot be changed. */
export function crossOrigin({ auth, cors: settings }: AppServices): MiddlewareHandler<HttpEnv> {
  const origins = settings?.origins ?? (auth.mode === "open" ? LOOPBACK : []);
  const isAllowed = (origin: string): boolean =>
    origins === "*" ||
    (origins instanceof RegExp ? origins.test(origin) : origins.includes(origin));
  const headers = cors({
    origin:
      origins === "*" ? "*" : (origin) => (origin !== "" && isAllowed(origin) ? origin : null),
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "Prefer"],
    exposeHeaders: ["Location", "Preference-Applied", "Retry-After", "WWW-Authenticate"],
    maxAge: 600,
  });
  return (c, next) => {
    const origin = c.req.header("origin");
    const upgrades = c.req.header("upgrade")?.toLowerCase() === "websocket";
    const changes = !["GET", "HEAD", "OPTIONS"].includes(c.req.method);
    if (
      auth.mode === "open" &&
      (changes || upgrades) &&
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
