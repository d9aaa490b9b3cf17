// Agents, crews and flows that Python SDKs call over the protocols of OpenAI, MCP and AG-UI.
import * as z from "zod";
import { agUi } from "../../../src/entry/ag-ui.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { Agent, Crew, Task, tool } from "../../../src/index.ts";
import { askClient, mcp, mcpResult, reportProgress } from "../../../src/entry/mcp.ts";
import { openai } from "../../../src/entry/openai.ts";
import { defineApp } from "../../../src/worker.ts";
import { obedientModel } from "./model.ts";

const llm = obedientModel();
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const rate = tool({
  name: "exchange_rate",
  description: "The rate between two currencies.",
  input: z.object({ from: z.string(), to: z.string() }),
  resultSchema: z.object({ rate: z.number() }),
  effect: "pure",
  run: () => ({ rate: 1.25 }),
});
const refund = tool({
  name: "refund",
  description: "Pays an order back.",
  input: z.object({ order: z.string() }),
  needsApproval: true,
  run: ({ order }) => `refunded ${order}`,
});
const agent = (role: string, more: Partial<ConstructorParameters<typeof Agent>[0]> = {}): Agent =>
  new Agent({ role, goal: "Answer", backstory: "You are brief.", llm, ...more });
const plain = agent("Plain");
const task = (name: string, options: Partial<ConstructorParameters<typeof Task>[0]> = {}): Task =>
  new Task({ name, description: "{text}", expectedOutput: "Words", agent: plain, ...options });

const counter = defineFlow({
  name: "counter",
  state: z.object({ count: z.number().default(0), words: z.array(z.string()).default([]) }),
  methods: {
    first: { start: true, run: ({ state }) => void (state.count += 1) },
    second: {
      listen: "first",
      run: ({ state }) => {
        state.words.push("two");
        return `counted ${state.count}`;
      },
    },
  },
});
const asks = defineFlow({
  name: "asks",
  methods: {
    go: {
      start: true,
      run: async ({ ask }) => `chosen ${await ask("Which colour?", { choices: ["red", "blue"] })}`,
    },
  },
});

const SUBJECTS = {
  "agent/plain": true,
  "agent/poet": true,
  "agent/clerk": true,
  "agent/hasty": true,
  "crew/pair": { input: "text" },
  "crew/shaped": { input: "text" },
  "crew/reviewed": { input: "text" },
  "flow/counter": true,
  "flow/asks": true,
} as const;

const app = defineApp({
  agents: {
    plain,
    poet: agent("Poet"),
    clerk: agent("Clerk", { tools: [rate, refund] }),
    hasty: agent("Hasty", { maxRetryLimit: 0 }),
  },
  crews: {
    pair: new Crew({
      name: "pair",
      tasks: [task("first", { description: "Facts" }), task("last")],
    }),
    shaped: new Crew({
      name: "shaped",
      tasks: [task("shape", { output: z.object({ title: z.string(), pages: z.int() }) })],
    }),
    reviewed: new Crew({ name: "reviewed", tasks: [task("draft", { humanInput: true })] }),
  },
  flows: { counter, asks },
  parts: [
    openai({ expose: SUBJECTS }),
    agUi({ expose: SUBJECTS }),
    mcp({
      expose: SUBJECTS,
      tools: [
        rate,
        tool({
          name: "picture",
          description: "A picture and its title.",
          input: z.object({}),
          run: () =>
            mcpResult({
              content: [
                { type: "text", text: "a dot" },
                { type: "image", data: PNG, mimeType: "image/png" },
              ],
            }),
        }),
        tool({
          name: "order",
          description: "Orders tea, once the client has said how much.",
          input: z.object({ article: z.string() }),
          run: async ({ article }, context) => {
            const answer = await askClient(context, "pieces", {
              form: {
                message: `How many of ${article}?`,
                schema: {
                  type: "object",
                  properties: { pieces: { type: "integer", minimum: 1 } },
                  required: ["pieces"],
                },
              },
            });
            return JSON.stringify(answer);
          },
        }),
        tool({
          name: "steps",
          description: "Works in three steps.",
          input: z.object({ pauseMs: z.int().default(0) }),
          run: async ({ pauseMs }) => {
            for (const progress of [1, 2, 3]) {
              reportProgress({ progress, total: 3, message: `step ${progress}` });
              await new Promise((resolve) => setTimeout(resolve, pauseMs));
            }
            return "done";
          },
        }),
        tool({
          name: "boom",
          description: "Fails.",
          input: z.object({}),
          run: () => {
            throw new Error("no tea left");
          },
        }),
      ],
      resources: [{ uri: "shop://hours", name: "Opening hours", read: () => "Nine to five." }],
      prompts: [
        {
          name: "complaint",
          arguments: [{ name: "order", required: true }],
          get: ({ order }) => `Apologise for order ${order}.`,
        },
      ],
    }),
  ],
});

export default app;
export const { CrewRun, McpSessions } = app.durableObjects;
