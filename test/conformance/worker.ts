// The Worker that the conformance suites of protocols check: one part for each protocol.
import { Agent } from "../../src/index.ts";
import { openai } from "../../src/entry/openai.ts";
import { defineApp } from "../../src/worker.ts";
import { a2aConformance } from "./a2a-agent.ts";
import { conformance, conformanceAgUi } from "./ag-ui-agent.ts";
import { mcpConformance } from "./mcp-parts.ts";

const a2a = a2aConformance();
const echo = new Agent({ role: "Clerk", goal: "Answer", backstory: "Brief." });

const app = defineApp({
  agents: { echo },
  flows: { ...a2a.flows, "ag-ui-checks": conformance },
  parts: [mcpConformance, a2a.part, conformanceAgUi, openai({ expose: { "agent/echo": true } })],
});

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
