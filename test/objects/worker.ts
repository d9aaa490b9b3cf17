// The Worker under test: the real one, with crews made for tests beside the examples.
import { incidentReview } from "../../examples/incident-review.ts";
import { backup } from "../../src/entry/backup.ts";
import { acp } from "../../src/entry/acp.ts";
import { a2aClient } from "../../src/entry/a2a.ts";
import { declarativeFlows } from "../../src/declarative/index.ts";
import { createDemoModel } from "../../src/llm/offline/demo-model.ts";
import { codeRunners } from "../../src/entry/code.ts";
import { agUi } from "../../src/entry/ag-ui.ts";
import { files } from "../../src/entry/files.ts";
import { beforeToolCall } from "../../src/entry/hooks.ts";
import { knowledge } from "../../src/entry/knowledge.ts";
import { scriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { mcpClient } from "../../src/entry/mcp.ts";
import { memory } from "../../src/entry/memory.ts";
import { openai } from "../../src/entry/openai.ts";
import { triggers } from "../../src/entry/triggers.ts";
import { crewProjects } from "../../src/project/index.ts";
import { a2aConformance } from "../conformance/a2a-agent.ts";
import { apiDescription } from "../../src/entry/api-description.ts";
import { console } from "../../src/entry/console.ts";
import { crewaiApi } from "../../src/entry/crewai-api.ts";
import { d1FlowStates, defineApp, FlowStates, VectorIndex } from "../../src/worker.ts";
import { board } from "./support/board.ts";
import { noted } from "./support/embedders.ts";
import { coder } from "./support/coders.ts";
import { counted } from "./support/counted-class.ts";
import { desk } from "./support/desks.ts";
import { helper, registry } from "./support/crews.ts";
import { account, exampleFlows, review, vectorFlows } from "./support/flows.ts";
import { keeper } from "./support/keepers.ts";
import { payer, teller } from "./support/front-ends.ts";
import { mcpServerUnderTest } from "./support/mcp.ts";
import { note } from "./support/ledger.ts";
import { askElsewhere, CALLBACKS } from "./support/remote-agent.ts";
import { recorded } from "./support/models.ts";
import { catalog, fetchFromShop } from "./support/shops.ts";
import { talk } from "./support/talks.ts";
import { TOOLS } from "./support/tools.ts";

const conformance = a2aConformance({ expose: { "crew/single": true, "crew/murmuring": true } });

const app = defineApp({
  crews: Object.assign(registry, { keeper }), // tests put crews of their own into this very object
  agents: { helper, teller, payer, coder },
  flows: { account, review, talk, ...conformance.flows, ...exampleFlows, ...vectorFlows },
  conversations: { "incident-review": incidentReview, desk },
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
  code: codeRunners(),
  knowledge: knowledge({ embedder: noted }),
  parts: [
    board,
    apiDescription(),
    crewaiApi(),
    backup(),
    acp({ expose: "all", tools: TOOLS, waitMs: 5_000 }),
    openai({ expose: "all" }),
    a2aClient({ fetch: askElsewhere, callbackUrl: CALLBACKS }),
    mcpClient({ catalog, fetch: fetchFromShop }),
    agUi({ expose: { "agent/teller": true, "agent/payer": true } }),
    conformance.part,
    mcpServerUnderTest,
  ],
  projects: crewProjects(),
  files: files({ store: { r2: "FILES" } }),
  console: console({ pages: false }),
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
