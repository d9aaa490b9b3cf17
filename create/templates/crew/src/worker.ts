import { apiDescription } from "edgecrew/api-description";
import { console } from "edgecrew/console";
import { memory } from "edgecrew/memory";
import { usage } from "edgecrew/usage";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";
import { wordCount } from "./tools/word-count.ts";

const tools = [wordCount];
const { crews, flows } = definitions({ tools });
const app = defineApp({
  crews,
  flows,
  tools,
  memory: memory(),
  console: console(), // in a browser under /console/
  parts: [apiDescription(), usage()],
});

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
