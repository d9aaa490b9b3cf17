import { HttpError } from "../../parts/problem.ts";
import { isLoopbackRequest } from "../../security/loopback.ts";
import type { AppServices } from "../services.ts";

/** A5: refuses requests to other machines while the Worker has settings that are known to everybody. */
export function refuseDevelopmentSettings(
  { developmentSettings = [] }: AppServices,
  request: Request,
): void {
  if (developmentSettings.length === 0 || isLoopbackRequest(request)) return;
  throw new HttpError(
    "forbidden",
    `this Worker has settings for development, which are used on this machine (localhost) alone: ${developmentSettings.join("; ")}`,
  );
}
