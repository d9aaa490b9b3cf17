import { apiDescription } from "edgecrew/api-description";
import { console } from "edgecrew/console";
import { toolCatalog } from "edgecrew/tools/catalog";
import { usage } from "edgecrew/usage";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";

const { crews, flows } = definitions({ catalogs: [toolCatalog()] });
const app = defineApp({
  crews,
  flows,
  tools: toolCatalog(),
  console: console(), // in a browser under /console/
  parts: [apiDescription(), usage()],
});

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
