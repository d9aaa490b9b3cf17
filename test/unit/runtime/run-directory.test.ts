import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { systemClock } from "../../../src/base/system.ts";
import { crewPart } from "../../../src/crew/crew-part.ts";
import { flowPart } from "../../../src/flow/flow-part.ts";
import { allReaders } from "../../support/all-readers.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { defineFlow } from "../../../src/flow/index.ts";
import { scriptedModel, type Script } from "../../../src/llm/scripted/scripted-model.ts";
import { ask } from "../../support/http-app.ts";
import { InMemoryRunDirectory } from "../../support/in-memory-run-directory.ts";
import { describeRunDirectory } from "../../support/run-directory.suite.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";

const agent = new Agent({ role: "Keeper", goal: "do it", backstory: "for a test", tools: [ask] });

function crew(name: string, ...tasks: readonly string[]): Crew {
  const options = { expectedOutput: "the result", agent };
  return new Crew({
    name,
    tasks: tasks.map((task) => new Task({ name: task, description: `Do ${task}`, ...options })),
  });
}

/** Plays all tasks, by what they describe. */
const script: Script = ({ messages }) => {
  const told = JSON.stringify(messages);
  if (told.includes("Do only")) return "done";
  if (told.includes("Do before")) return "ready";
  const last = messages.at(-1);
  return last?.role === "tool"
    ? `Final: ${last.content}`
    : { toolCalls: [{ name: "ask", arguments: { question: "How many?" } }] };
};

const account = defineFlow({
  name: "account",
  methods: {
    wait: {
      start: true,
      run: ({ waitForEvent }) => waitForEvent("paid", { schema: z.object({ amount: z.number() }) }),
    },
  },
});

describeRunDirectory({
  name: "in this process",
  directory: new InMemoryRunDirectory({
    clock: systemClock,
    database: sqliteD1(),
    parts: [
      crewPart({
        crews: { single: crew("single", "only"), asking: crew("asking", "before", "ask") },
        registry: { tools: [ask] },
        readers: allReaders,
      }),
      flowPart({ flows: { account }, registry: {}, readers: allReaders }),
    ],
    model: scriptedModel(script),
  }),
});
