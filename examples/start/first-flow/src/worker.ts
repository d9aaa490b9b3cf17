import { console } from "edgecrew/console";
import { memory } from "edgecrew/memory";
import { usage } from "edgecrew/usage";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";
import { MailFlow } from "./mail-flow.ts";
import { wordCount } from "./tools/word-count.ts";

const tools = [wordCount];
const { crews, flows } = definitions({ tools });
const app = defineApp({
  crews,
  flows: { ...flows, mail: MailFlow },
  tools,
  memory: memory(),
  console: console(), // in a browser under /console/
  parts: [usage()],
});

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
