import { apiDescription } from "edgecrew/api-description";
import { console } from "edgecrew/console";
import { memory } from "edgecrew/memory";
import { usage } from "edgecrew/usage";
import { defineApp, VectorIndex, type WorkerEnv } from "edgecrew/worker";
import { crews, flows } from "./definitions.ts";
import { Briefing } from "./flows/briefing.ts";
import { pageRequest } from "./page-request.ts";

const app = defineApp({
  crews,
  flows: { ...flows, briefing: Briefing },
  memory: memory(),
  console: console(), // in a browser under /console/
  parts: [apiDescription(), usage()],
});

export default {
  ...app,
  /** Paths below /app are the page's, the others those of the API. */
  async fetch(request: Request, env: WorkerEnv, context: ExecutionContext) {
    if (!new URL(request.url).pathname.startsWith("/app/")) return app.fetch(request, env, context);
    const allowed = await pageRequest(request, env);
    return allowed instanceof Response ? allowed : app.fetch(allowed, env, context);
  },
};
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
