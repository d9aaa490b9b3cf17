// The Worker that the conformance suites of protocols check: one part for each protocol.
import type { Part } from "../../src/parts/part.ts";
import { defineApp } from "../../src/worker.ts";
import { mcpConformance } from "./mcp-parts.ts";

const parts: readonly Part[] = [mcpConformance];

const app = defineApp({ parts });

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
