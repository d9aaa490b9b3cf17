import { apiDescription } from "edgecrew/api-description";
import { console } from "edgecrew/console";
import { usage } from "edgecrew/usage";
import { d1FlowStates, defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";
import { Desk } from "./flows/desk.ts";

const { crews, flows } = definitions();
const app = defineApp({
  crews,
  flows: { ...flows, desk: Desk },
  flowStates: d1FlowStates, // where conversations are kept
  console: console(), // in a browser under /console/
  parts: [apiDescription(), usage()],
});

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
