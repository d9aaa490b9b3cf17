// The Worker under test: the real one, with crews made for tests beside the examples.
import { createDemoModel } from "../../src/llm/offline/demo-model.ts";
import { beforeToolCall } from "../../src/index.ts";
import { defineApp, VectorIndex } from "../../src/worker.ts";
import { counted } from "./support/counted-class.ts";
import { helper, registry } from "./support/crews.ts";
import { review } from "./support/flows.ts";
import { note } from "./support/ledger.ts";
import { recorded } from "./support/models.ts";
import { TOOLS } from "./support/tools.ts";

const app = defineApp({
  crews: registry,
  agents: { helper },
  flows: { review },
  tools: TOOLS,
  files: "d1",
  hooks: [
    beforeToolCall(({ runId, toolName }) => note(runId, `pre_tool_call ${toolName}`), {
      tools: ["Pay out"],
    }),
  ],
  models: { "offline/demo": recorded(createDemoModel()) },
});

export default app;
export const CrewRun = counted(app.durableObjects.CrewRun);
export { VectorIndex };
