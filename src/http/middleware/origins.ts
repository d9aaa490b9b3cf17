// Requests of pages from other origins.
//
//   O1. By default, no page of another origin can read answers in `keys` mode. In `open` mode, pages of this machine can.
//   O2. In `open` mode, the browser is the only credential, so whatever a page of another origin asks is refused, also what
//       browsers send without a preflight: simple changes and WebSocket upgrades.
import { ANSWER_HEADERS } from "../../parts/headers.ts";
import { HttpError } from "../../parts/problem.ts";
import { isLoopbackOrigin } from "../../security/loopback.ts";
import type { AppServices } from "../services.ts";

const METHODS = "GET,HEAD,POST,PUT,PATCH,DELETE";

/** How long browsers keep the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/**
 * Answers with the headers of CORS, and answers preflights. WebSocket upgrades get no headers, because their answer cannot be
 * changed.
 */
export function crossOrigin({ auth, cors: settings }: Pick<AppServices, "auth" | "cors">) {
  const isOpen = auth.mode !== "keys";
  const origins = settings?.origins;
  const exposed = Object.keys(ANSWER_HEADERS).join(",");
  const isAllowed = (origin: string): boolean =>
    origins === undefined
      ? isOpen && isLoopbackOrigin(origin)
      : origins === "*" || origins.includes(origin);

  return async (request: Request, answer: () => Promise<Response>): Promise<Response> => {
    const origin = request.headers.get("origin");
    const isPreflight = request.method === "OPTIONS";
    if (
      isOpen &&
      !isPreflight &&
      origin !== null &&
      origin !== new URL(request.url).origin &&
      !isAllowed(origin)
    ) {
      throw new HttpError(
        "forbidden",
        `pages of ${origin} may not use this Worker: add the origin to its CORS setting`,
      );
    }
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return answer();
    const answered = isPreflight ? preflight(request) : await answer();
    const response = new Response(answered.body, answered);
    const { headers } = response;
    if (origins === "*") headers.set("access-control-allow-origin", "*");
    else if (origin !== null && isAllowed(origin))
      headers.set("access-control-allow-origin", origin);
    if (origins !== "*") headers.append("vary", "Origin");
    headers.set("access-control-expose-headers", exposed);
    return response;
  };
}

/** Allows the headers that it asks for: protocols have headers of their own. */
function preflight({ headers }: Request): Response {
  const asked = headers.get("access-control-request-headers");
  const allowed = asked
    ?.split(",")
    .map((name) => name.trim())
    .join(",");
  return new Response(null, {
    status: 204,
    statusText: "No Content",
    headers: {
      "access-control-max-age": String(MAX_AGE_SECONDS),
      "access-control-allow-methods": METHODS,
      ...(allowed
        ? { "access-control-allow-headers": allowed, vary: "Access-Control-Request-Headers" }
        : undefined),
    },
  });
}
