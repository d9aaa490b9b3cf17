import { Hono } from "hono";
import { admin } from "./admin.ts";
import { agents } from "./agents.ts";
import { authenticate } from "./auth.ts";
import { chat } from "./chat.ts";
import { crews } from "./crews.ts";
import { docs } from "./docs.ts";
import { evaluations } from "./evaluations.ts";
import { health } from "./health.ts";
import { keys } from "./keys.ts";
import { kickoff } from "./kickoff.ts";
import { notFound } from "./not-found.ts";
import { crossOrigin } from "./origins.ts";
import { onError } from "./problem.ts";
import { runs } from "./runs.ts";
import type { AppServices, HttpEnv } from "./services.ts";
import { train, trainings } from "./training.ts";

/** The HTTP API over these services. Make it once for each environment; pass requests to its `fetch`. */
export function createApp(services: AppServices) {
  const app = new Hono<HttpEnv>({ strict: false })
    .use(async (c, next) => {
      c.set("services", services);
      await next();
    })
    .use(crossOrigin(services))
    .use(authenticate(services))
    .route("/", health)
    .route("/", docs)
    .route("/crews", crews)
    .route("/crews", kickoff)
    .route("/crews", train)
    .route("/crews", evaluations)
    .route("/crews", chat)
    .route("/trainings", trainings)
    .route("/agents", agents)
    .route("/runs", runs)
    .route("/keys", keys)
    .route("/admin", admin);
  app.onError(onError);
  app.notFound(notFound(app));
  return app;
}

/** For `hc<App>`. */
export type App = ReturnType<typeof createApp>;
