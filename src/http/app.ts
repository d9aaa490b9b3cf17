import { Hono } from "hono/tiny";
import type { BoundPart } from "../parts/part.ts";
import { problemOf } from "../parts/problem.ts";
import { drainBody } from "../security/bounded-body.ts";
import { apiOf } from "./api-of.ts";
import { authenticate } from "./middleware/auth.ts";
import { admit } from "./middleware/admit.ts";
import { refuseDevelopmentSettings } from "./middleware/development-settings.ts";
import { mountOperations } from "./middleware/mount-operations.ts";
import { notFound } from "./middleware/not-found.ts";
import { crossOrigin } from "./middleware/origins.ts";
import type { AppServices, HttpEnv } from "./services.ts";

/**
 * Creates the HTTP API over these services and parts. Create it once per environment, and pass requests to its `fetch`.
 */
export function createApp(services: AppServices, parts: readonly BoundPart[]) {
  const { operations } = apiOf(services, parts);
  const app = new Hono<HttpEnv>({ strict: false })
    .use(async (c, next) => {
      c.set("services", services);
      await next();
    })
    .route("/", mountOperations(operations, "open"))
    .use(crossOrigin(services))
    .use(authenticate(services, parts))
    .use(refuseDevelopmentSettings(services))
    .use(admit(parts))
    .route("/", mountOperations(operations, "keyed"));
  const answer = async (problem: Response, request: Request): Promise<Response> => {
    await drainBody(request);
    const { pathname } = new URL(request.url);
    const form = parts.find(({ problems }) => problems?.matches(pathname))?.problems;
    return form === undefined ? problem : form.answer(problem, request);
  };
  app.onError((error, c) => answer(problemOf(error, services.report), c.req.raw));
  const answerNotFound = notFound(app);
  app.notFound((c) => answer(answerNotFound(c), c.req.raw));
  return app;
}

export type App = ReturnType<typeof createApp>;
