// The Worker that SDKs and front ends of others call: every protocol, with its defaults.
import * as z from "zod";
import { a2a } from "../../../src/entry/a2a.ts";
import { agUi } from "../../../src/entry/ag-ui.ts";
import { tool } from "../../../src/index.ts";
import { askClient, mcp, reportProgress } from "../../../src/entry/mcp.ts";
import { openai } from "../../../src/entry/openai.ts";
import { defineApp } from "../../../src/worker.ts";
import { agents, crews, flows } from "./worker/subjects.ts";

const greet = tool({
  name: "greet",
  description: "Asks for a name and greets.",
  input: z.object({}),
  run: async (_, context) => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    };
    const { action, content } = await askClient(context, "name", {
      form: { message: "What is your name?", schema },
    });
    return `${JSON.stringify(action).replaceAll('"', "")} ${String((content as { name?: string } | undefined)?.name)}`;
  },
});
const steps = tool({
  name: "steps",
  description: "Reports three steps.",
  input: z.object({}),
  run: async () => {
    for (const progress of [1, 2, 3]) {
      reportProgress({ progress, total: 3, message: `step ${progress}` });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return "three steps";
  },
});

const app = defineApp({
  agents,
  crews,
  flows,
  parts: [
    a2a({ expose: "all", root: "agent/clerk" }),
    agUi({ expose: "all" }),
    mcp({ expose: "all", tools: [greet, steps] }),
    openai({ expose: "all" }),
  ],
});

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
