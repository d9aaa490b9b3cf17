// The agents that other people's clients call: text, JSON, a failure, a question, and one that takes long. No model is asked.
import { a2a, askCaller } from "../../../src/entry/a2a.ts";
import { defineFlow } from "../../../src/flow/define-flow.ts";
import { Agent, Crew, Task } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { defineApp } from "../../../src/worker.ts";

const WORDS = "alpha beta gamma delta";
const clerk = new Agent({
  role: "Clerk",
  goal: "Answer",
  backstory: "Brief.",
  llm: scriptedModel(() => WORDS),
});
const task = (name: string): Task =>
  new Task({ name, description: "Answer {text}", expectedOutput: "Words", agent: clerk });
const flow = (name: string, run: (sleep: (name: string, ms: number) => Promise<void>) => unknown) =>
  defineFlow({
    name,
    methods: { go: { start: true, run: async ({ sleep }) => (await run(sleep)) as never } },
  });

const app = defineApp({
  agents: { clerk },
  crews: { pair: new Crew({ name: "pair", tasks: [task("first"), task("second")] }) },
  flows: {
    json: flow("json", () => ({ a: 1 })),
    fails: flow("fails", () => Promise.reject(new Error("broken"))),
    asks: flow("asks", () => askCaller("Which colour?")),
    slow: flow("slow", async (sleep) => {
      await sleep("long", 60_000);
      return "late";
    }),
  },
  parts: [
    a2a({
      expose: {
        "agent/clerk": true,
        "crew/pair": { input: "text" },
        "flow/json": true,
        "flow/fails": true,
        "flow/asks": true,
        "flow/slow": true,
      },
    }),
  ],
});

export default app;
export const { CrewRun } = app.durableObjects;
