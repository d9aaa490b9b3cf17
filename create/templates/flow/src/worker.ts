import { apiDescription } from "edgecrew/api-description";
import { console } from "edgecrew/console";
import { memory } from "edgecrew/memory";
import { usage } from "edgecrew/usage";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { crews, flows } from "./definitions.ts";
import { Triage } from "./flows/triage.ts";

const app = defineApp({
  crews,
  flows: { ...flows, triage: Triage },
  memory: memory(),
  console: console(), // in a browser under /console/
  parts: [apiDescription(), usage()],
});

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
