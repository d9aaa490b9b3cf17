// The Worker under test: the real one, with crews made for tests beside the examples.
import { declarativeFlows } from "../../src/declarative/index.ts";
import { createDemoModel } from "../../src/llm/offline/demo-model.ts";
import { beforeToolCall } from "../../src/hooks.ts";
import { knowledge } from "../../src/knowledge.ts";
import { scriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { memory } from "../../src/memory.ts";
import { triggers } from "../../src/triggers.ts";
import { d1FlowStates, defineApp, FlowStates, VectorIndex } from "../../src/worker.ts";
import { board } from "./support/board.ts";
import { noted } from "./support/embedders.ts";
import { counted } from "./support/counted-class.ts";
import { helper, registry } from "./support/crews.ts";
import { account, exampleFlows, review, vectorFlows } from "./support/flows.ts";
import { keeper } from "./support/keepers.ts";
import { mcpServerUnderTest } from "./support/mcp.ts";
import { note } from "./support/ledger.ts";
import { recorded } from "./support/models.ts";
import { talk } from "./support/talks.ts";
import { TOOLS } from "./support/tools.ts";

const app = defineApp({
  crews: Object.assign(registry, { keeper }), // tests put crews of their own into this very object
  agents: { helper },
  flows: { account, review, talk, ...exampleFlows, ...vectorFlows },
  flowStates: d1FlowStates,
  declarativeFlows: declarativeFlows(),
  tools: TOOLS,
  triggers: triggers({
    schedules: { "new-year": { cron: "0 0 1 1 *", target: { kind: "crew", name: "single" } } },
    queues: {
      "objects-orders": { target: { kind: "flow", name: "review" }, inputs: { topic: "/topic" } },
    },
  }),
  memory: memory({ embedder: noted }),
  knowledge: knowledge({ embedder: noted }),
  parts: [board, mcpServerUnderTest],
  files: "d1",
  limits: { crashRestMs: 100 },
  hooks: [
    beforeToolCall(({ runId, toolName }) => note(runId, `pre_tool_call ${toolName}`), {
      tools: ["Pay out"],
    }),
  ],
  models: {
    "offline/demo": recorded(createDemoModel()),
    "scripted/judge": scriptedModel(() => '{"quality":7}'),
  },
});

export default app;
export { FlowStates };
export const CrewRun = counted(app.durableObjects.CrewRun);
export const { McpSessions } = app.durableObjects;
export { VectorIndex };
