import { toolCatalog } from "edgecrew/tools/catalog";
import { defineApp, VectorIndex } from "edgecrew/worker";
import { definitions } from "../.edgecrew/definitions.ts";

const { crews, flows } = definitions({ catalogs: [toolCatalog()] });
const app = defineApp({ crews, flows, tools: toolCatalog() });

export default app;
export class CrewRun extends app.durableObjects.CrewRun {}
export { VectorIndex };
