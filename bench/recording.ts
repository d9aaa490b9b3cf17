// What it costs to keep what models are asked: the same crew with `record: { requests: "full" }` and `"none"`, in turn, on a run's store in
// SQLite and a model that answers at once. CPU per model call, and the bytes that are kept.
import * as z from "zod";
import { Agent } from "../src/agent/description/agent.ts";
import { NO_USAGE } from "../src/base/usage.ts";
import { Crew } from "../src/crew/crew.ts";
import { Task } from "../src/crew/tasks/task.ts";
import type { LanguageModel } from "../src/llm/language-model.ts";
import { modelCatalog } from "../src/llm/model-catalog.ts";
import { tool } from "../src/tools/tool.ts";
import { openSqlStore } from "../test/support/run-stores.ts";
import { RunWorld } from "../test/support/run-world.ts";

const TURNS = [2, 10, 50, 200];
const CALLS = 1_000;
const REPETITIONS = 15;
const RESULT = "word ".repeat(200);
const FORMS = ["full", "none"] as const;

type Form = (typeof FORMS)[number];

const look = tool({
  name: "look",
  description: "Look something up.",
  input: z.object({ n: z.number() }),
  run: () => RESULT,
});

/** Calls the tool in each turn but the last. */
function modelOf(turns: number): LanguageModel {
  let turn = 0;
  return {
    id: "bench/model",
    contextWindow: 2_000_000,
    capabilities: { tools: true, responseSchema: true, stop: true },
    generate: async () => {
      const calls =
        ++turn < turns ? [{ id: `call_${turn}`, name: "look", arguments: `{"n":${turn}}` }] : [];
      return {
        text: calls.length === 0 ? "Found." : "",
        toolCalls: calls,
        finishReason: calls.length === 0 ? "stop" : "tool_calls",
        usage: { ...NO_USAGE, requests: 1, totalTokens: 10 },
      };
    },
  };
}

async function run(turns: number, requests: Form): Promise<number> {
  const agent = new Agent({
    role: "Researcher",
    goal: "Find out",
    backstory: "Careful.",
    tools: [look],
    llm: modelOf(turns),
    maxIter: 1000,
  });
  const task = new Task({ name: "work", description: "Look it up", expectedOutput: "It", agent });
  const program = new Crew({ name: "bench", tasks: [task] }).program();
  const world = new RunWorld(program.run, {
    fixture: openSqlStore(),
    tasks: program.tasks,
    models: modelCatalog({ variables: {} }),
    services: { recording: { requests } },
  });
  const { status } = await world.begin();
  if (status !== "completed") throw new Error(`the run is ${status}`);
  const { journal } = world.store;
  return journal
    .list(0, 10_000)
    .reduce((sum, { key }) => sum + (journal.get(key)?.request?.length ?? 0), 0);
}

/** CPU of this process per model call, in milliseconds. */
async function measure(turns: number, requests: Form): Promise<number> {
  const runs = Math.max(1, Math.round(CALLS / turns));
  const before = process.cpuUsage();
  for (let count = 0; count < runs; count++) await run(turns, requests);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (runs * turns);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

console.log("turns   none ms   full ms   full / none   full - none ms   characters kept per call");
for (const turns of TURNS) {
  const samples: Record<Form, number[]> = { full: [], none: [] };
  for (const form of FORMS) await measure(turns, form);
  for (let repetition = 0; repetition < REPETITIONS; repetition++)
    for (const form of repetition % 2 === 0 ? FORMS : FORMS.toReversed())
      samples[form].push(await measure(turns, form));
  const [full, none] = [median(samples.full), median(samples.none)];
  const kept = (await run(turns, "full")) / turns;
  console.log(
    [
      String(turns).padEnd(5),
      none.toFixed(4).padStart(9),
      full.toFixed(4).padStart(9),
      (full / none).toFixed(2).padStart(12),
      (full - none).toFixed(4).padStart(15),
      kept.toFixed(0).padStart(12),
    ].join(" "),
  );
}
