// A crew of 40 agents with 32 tools each against one of a single agent with one tool, in one process and one run: CPU per
// model call on a model that answers at once. What depends on tools and agents is to be done once, not per step.
import * as z from "zod";
import { Agent, Crew, Task, tool } from "../src/index.ts";
import type { LanguageModel, ModelResponse } from "../src/entry/models.ts";

const ROUNDS = 50;
const CALLS = 20_000;
const REPETITIONS = 9;

const usage = {
  promptTokens: 0,
  cachedPromptTokens: 0,
  cacheCreationTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  requests: 1,
  costUsd: 0,
};

/** Calls a tool fifty times, then answers. Looks at nothing but the length of the conversation. */
const model: LanguageModel = {
  id: "bench/instant",
  capabilities: { tools: true, responseSchema: true, stop: true, vision: false },
  contextWindow: 10_000_000,
  generate: async ({ messages }): Promise<ModelResponse> =>
    messages.length > ROUNDS * 2
      ? { text: "done", toolCalls: [], finishReason: "stop", usage }
      : {
          text: "",
          toolCalls: [{ id: `c${messages.length}`, name: "look_up_0", arguments: '{"word":"x"}' }],
          finishReason: "tool_calls",
          usage,
        },
};

function crewOf(agents: number, tools: number): Crew {
  const boxes = Array.from({ length: tools }, (_, index) =>
    tool({
      name: `look up ${index}`,
      description: `Looks words up in book ${index}.`,
      input: z.object({ word: z.string(), page: z.number().int().optional() }),
      run: () => "known",
    }),
  );
  const team = Array.from(
    { length: agents },
    (_, index) =>
      new Agent({
        role: `Researcher ${index}`,
        goal: "Find out",
        backstory: "Careful.",
        llm: model,
        tools: boxes,
        maxIter: 1000,
        allowDelegation: true,
      }),
  );
  const [agent] = team;
  if (agent === undefined) throw new Error("a crew needs an agent");
  const task = new Task({ description: "Look the words up", expectedOutput: "All of them", agent });
  return new Crew({ agents: team, tasks: [task] });
}

const narrow = crewOf(1, 1);
const wide = crewOf(40, 32);
const samples: Record<"narrow" | "wide", number[]> = { narrow: [], wide: [] };
for (const crew of [narrow, wide]) await measure(crew, CALLS / 4);
for (let repetition = 0; repetition < REPETITIONS; repetition++) {
  samples.narrow.push(await measure(narrow, CALLS));
  samples.wide.push(await measure(wide, CALLS));
}
const [one, many] = [median(samples.narrow), median(samples.wide)];
console.log(
  `1 agent, 1 tool: ${one.toFixed(4)} ms; 40 agents, 32 tools: ${many.toFixed(4)} ms; ${(many / one).toFixed(2)} times (CPU per model call, median of ${REPETITIONS})`,
);

/** CPU time of this process per model call, in milliseconds. */
async function measure(crew: Crew, calls: number): Promise<number> {
  const runs = Math.round(calls / (ROUNDS + 1));
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run++) await crew.kickoff();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (runs * (ROUNDS + 1));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
