// The MCP server of the Worker under test.
import * as z from "zod";
import { askClient, mcp } from "../../../src/entry/mcp.ts";
import { tool } from "../../../src/tools/tool.ts";
import { enter } from "./ledger.ts";

/** What the resource `test://note` says; tests change it. */
export const noteText = { text: "first" };

const order = tool({
  name: "order",
  description: "Orders something, and asks how many.",
  input: z.object({ what: z.string() }),
  run: async ({ what }, context) => {
    await context.step("reserve", (step) => enter(step, context.signal));
    const schema = {
      type: "object",
      properties: { count: { type: "integer" } },
      required: ["count"],
    };
    const { content } = await askClient(context, "count", {
      form: { message: "How many?", schema },
    });
    await context.step("place", (step) => enter(step, context.signal));
    return `${JSON.stringify(content)} of ${what}`;
  },
});

const greet = tool({
  name: "greet",
  description: "Has the client's model greet.",
  input: z.object({}),
  run: async (_, context) => {
    const answer = await askClient(context, "greeting", {
      sampling: {
        messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
        maxTokens: 10,
      },
    });
    return JSON.stringify(answer["content"]);
  },
});

export const mcpServerUnderTest = mcp({
  expose: { "crew/single": true, "crew/asking": true },
  tools: [order, greet],
  resources: [{ uri: "test://note", name: "Note", read: () => noteText.text }],
});
