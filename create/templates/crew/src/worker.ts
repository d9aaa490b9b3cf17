import { memory } from "edgecrew/memory";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";
import { wordCount } from "./tools/word-count.ts";

const tools = [wordCount];
const { crews, flows } = definitions({ tools });
const app = defineApp({ crews, flows, tools, memory: memory() });

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
