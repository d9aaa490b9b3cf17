// Request to a tool's service after the end of its run, such as the cancellation of a job.
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { systemClock } from "../../../base/system.ts";
import { cleanUp } from "../../../events/clean-up.ts";
import type { CatalogVariable } from "./entry.ts";
import { keysFor } from "./keys-for.ts";
import { networkOf } from "../../../events/run-network.ts";
import { bodyOf, keyHeader, type ToolRequest } from "./request.ts";
import { failureOfStatus } from "./service-failure.ts";

/** Request as stored by runs: with the names of its keys and without the keys. */
export type EndRequest = {
  readonly service: string;
  readonly request: {
    readonly method: NonNullable<ToolRequest["method"]>;
    readonly url: string;
    readonly body?: JsonObject;
  };
  readonly keys: readonly EndKey[];
};

/** Key, by the name of the deployment's variable containing it. */
export type EndKey = Pick<CatalogVariable, "name" | "description" | "send" | "hosts">;

/** Statuses of work already finished. */
const GONE: readonly number[] = [404, 409, 410];

/** Sends a request after the end of the run. */
export const endRequest = cleanUp<EndRequest>(
  "tool_request",
  async ({ service, request, keys }, { services, signal, idempotencyKey }) => {
    const { method } = request;
    const url = new URL(request.url);
    const { body, contentType } = bodyOf(request);
    const headers = new Headers({
      accept: "application/json",
      "idempotency-key": keyHeader(idempotencyKey),
    });
    if (contentType !== undefined) headers.set("content-type", contentType);
    const valueOf = (name: string): string | undefined => services.variables?.[name]?.trim();
    const missing = keys.find(({ name }) => !valueOf(name));
    if (missing !== undefined)
      throw new EngineError("tool_failed", `the variable ${missing.name} is not set`);
    const { headers: keyHeaders, query } = keysFor(url, keys, valueOf);
    for (const [name, value] of Object.entries(keyHeaders)) headers.set(name, value);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const init = { method, headers, signal, redirect: "manual" as const };
    const { fetch: send } = networkOf(services);
    const response = await send(url, body === undefined ? init : { ...init, body });
    await response.body?.cancel();
    const { ok, status } = response;
    if (ok || GONE.includes(status)) return;
    const nowMs = systemClock.now();
    throw failureOfStatus({ status, headers: response.headers, body: null, service, nowMs });
  },
);
