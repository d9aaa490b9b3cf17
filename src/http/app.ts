import { Hono } from "hono/tiny";
import { admin } from "./admin.ts";
import { agents } from "./agents.ts";
import { authenticate } from "./auth.ts";
import { compat, compatProblem, isCompat } from "./compat.ts";
import { chat } from "./chat.ts";
import { crews } from "./crews.ts";
import { docs } from "./docs.ts";
import { evaluations } from "./evaluations.ts";
import { flowStates } from "./flow-states.ts";
import { flows } from "./flows.ts";
import { health } from "./health.ts";
import { keys } from "./keys.ts";
import { kickoff } from "./kickoff.ts";
import { mountParts } from "./mount-part.ts";
import { isPlot, plotProblem } from "./plots.ts";
import { notFound } from "./not-found.ts";
import { crossOrigin } from "./origins.ts";
import { onError } from "./problem.ts";
import { runs } from "./runs.ts";
import { waits } from "./waits.ts";
import type { AppServices, HttpEnv } from "./services.ts";
import { train, trainings } from "./training.ts";
import { turns } from "./turns.ts";

/** The HTTP API over these services. Make it once for each environment; pass requests to its `fetch`. */
export function createApp(services: AppServices) {
  const { parts = [] } = services;
  const app = new Hono<HttpEnv>({ strict: false })
    .use(async (c, next) => {
      c.set("services", services);
      await next();
    })
    .route("/", mountParts(parts, "open"))
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
    .route("/flows", flows)
    .route("/flows", turns)
    .route("/flows", flowStates)
    .route("/runs", runs)
    .route("/waits", waits)
    .route("/compat", compat)
    .route("/keys", keys)
    .route("/admin", admin)
    .route("/", mountParts(parts, "keyed"));
  app.onError((error, c) => {
    const problem = onError(error, c);
    if (problem.status === 401 && isPlot(c.req.path)) return plotProblem(problem, c);
    return isCompat(c.req.path) ? compatProblem(problem) : problem;
  });
  const nothingThere = notFound(app);
  app.notFound((c) => {
    const problem = nothingThere(c);
    return isCompat(c.req.path) ? compatProblem(problem) : problem;
  });
  return app;
}

/** For `hc<App>`. */
export type App = ReturnType<typeof createApp>;
