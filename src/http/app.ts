import type { BoundPart } from "../parts/part.ts";
import { problemOf } from "../parts/problem.ts";
import { drainBody } from "../security/bounded-body.ts";
import { answerOperation } from "./answer-operation.ts";
import { apiOf } from "./api.ts";
import { authenticate } from "./middleware/auth.ts";
import { admit } from "./middleware/admit.ts";
import { refuseDevelopmentSettings } from "./middleware/development-settings.ts";
import { notFound } from "./middleware/not-found.ts";
import { withKeyHash } from "./middleware/open-streams.ts";
import { crossOrigin } from "./middleware/origins.ts";
import { pathOf, Routes } from "./routes.ts";
import type { AppServices, Caller } from "./services.ts";

export type App = { fetch: (request: Request) => Promise<Response> };

/** Of operations that need no key. */
const NOBODY: Caller = { tenant: "", scopes: [], via: "open" };

/** The one path that is known to nobody's key, whatever the method. */
const HEALTH = "/healthz";

/** The HTTP API over these services and parts. Create it once per environment, and pass requests to its `fetch`. */
export function createApp(services: AppServices, parts: readonly BoundPart[]): App {
  const { operations } = apiOf(services, parts);
  const all = new Routes(operations);
  const open = new Routes(operations.filter(({ scope }) => scope === "none"));
  const keyed = new Routes(operations.filter(({ scope }) => scope !== "none"));
  const withCors = crossOrigin(services);
  const callerOf = authenticate(services, parts);

  async function problem(error: unknown, request: Request): Promise<Response> {
    const said = problemOf(error, services.report);
    await drainBody(request);
    const { pathname } = new URL(request.url);
    const form = parts.find(({ problems }) => problems?.matches(pathname))?.problems;
    return form === undefined ? said : form.answer(said, request);
  }

  async function answer(request: Request): Promise<Response> {
    const path = pathOf(request);
    const found = open.find(request.method, path);
    if (found !== undefined) return answerOperation(found, { request, caller: NOBODY, services });
    return withCors(request, () => answerKeyed(request, path));
  }

  async function answerKeyed(received: Request, path: string): Promise<Response> {
    let request = received;
    try {
      const caller = path === HEALTH ? NOBODY : await callerOf(request);
      request = withKeyHash(request, caller.keyHash);
      refuseDevelopmentSettings(services, request);
      if (caller !== NOBODY) await admit(parts, caller);
      const found = keyed.find(request.method, path);
      if (found === undefined) throw notFound(all, { path, method: request.method });
      return await answerOperation(found, { request, caller, services });
    } catch (error) {
      return problem(error, request);
    }
  }

  return {
    fetch: async (request) => {
      const response = await answer(request).catch((error: unknown) => problem(error, request));
      return request.method === "HEAD" ? new Response(null, response) : response;
    },
  };
}
