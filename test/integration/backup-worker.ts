import * as z from "zod";
import { backup } from "../../src/entry/backup.ts";
import { defineFlow } from "../../src/flow/index.ts";
import { Agent, Crew, Task } from "../../src/index.ts";
import { knowledge } from "../../src/entry/knowledge.ts";
import { createDemoModel } from "../../src/llm/offline/demo-model.ts";
import { memory } from "../../src/entry/memory.ts";
import { triggers } from "../../src/entry/triggers.ts";
import { d1FlowStates, defineApp } from "../../src/worker.ts";

const agent = new Agent({ role: "Writer", goal: "Write", backstory: "Short.", llm: "demo" });
const briefing = new Crew({
  name: "briefing",
  tasks: [
    new Task({ name: "research", description: "On {topic}", expectedOutput: "Facts", agent }),
    new Task({ name: "report", description: "Write it", expectedOutput: "A page", agent }),
  ],
});

/** Asks a person, and keeps its state. */
const asking = defineFlow({
  name: "asking",
  state: z.object({ answer: z.string().default("") }),
  persist: true,
  methods: {
    ask: {
      start: true,
      run: async ({ ask, state }) => {
        state.answer = String(await ask("Go on?"));
        return state.answer;
      },
    },
  },
});

const app = defineApp({
  crews: { briefing },
  flows: { asking },
  flowStates: d1FlowStates,
  models: { demo: createDemoModel() },
  memory: memory({ llm: "demo" }),
  knowledge: knowledge(),
  triggers: triggers(),
  parts: [backup()],
});
export default app;
export const { CrewRun } = app.durableObjects;
export { VectorIndex } from "../../src/worker.ts";
