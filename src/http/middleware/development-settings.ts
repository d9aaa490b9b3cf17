import type { MiddlewareHandler } from "hono";
import { HttpError } from "../../parts/problem.ts";
import { isLoopbackRequest } from "../../security/loopback.ts";
import type { AppServices, HttpEnv } from "../services.ts";

/** A5: refuses requests to other machines while the Worker has publicly known settings. */
export function refuseDevelopmentSettings({
  developmentSettings = [],
}: AppServices): MiddlewareHandler<HttpEnv> {
  return (c, next) => {
    if (developmentSettings.length === 0 || isLoopbackRequest(c.req.raw)) return next();
    throw new HttpError(
      "forbidden",
      `this Worker has settings for development, which are used on this machine (localhost) alone: ${developmentSettings.join("; ")}`,
    );
  };
}
