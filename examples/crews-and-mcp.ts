// The example crews, offered over MCP: what `bench/size.ts` holds to the bound for the part.
import { releaseNotes } from "./release-notes.ts";
import { supportReply } from "./support-reply.ts";
import { mcp } from "../src/mcp.ts";
import { defineApp } from "../src/worker.ts";

const app = defineApp({
  crews: { "release-notes": releaseNotes, "support-reply": supportReply },
  files: "d1",
  parts: [mcp({ expose: "all" })],
});

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
