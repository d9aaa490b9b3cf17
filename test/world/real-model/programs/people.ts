// Agents, tasks and tools that several kinds are made of.
import * as z from "zod";
import { Agent, Task, tool, type AgentOptions, type TaskOptions } from "../../../../src/index.ts";
import { PASSAGES, TRADES, WISHES, type Passage } from "../texts.ts";
import type { Bench } from "./kind.ts";

export function agentOf(bench: Bench, options: Partial<AgentOptions> = {}): Agent {
  const role = bench.random.pick(TRADES);
  return new Agent({
    role,
    goal: "Answer shortly",
    backstory: `You are a ${role.toLowerCase()} of few words.`,
    llm: bench.llm(),
    maxIter: 4,
    ...options,
  });
}

export function passageOf({ random }: Bench): Passage {
  return random.pick(PASSAGES);
}

export function taskOf(bench: Bench, agent: Agent, options: Partial<TaskOptions> = {}): Task {
  const { text, question } = passageOf(bench);
  return new Task({
    description: `${text}\n${question} ${bench.random.pick(WISHES)}`,
    expectedOutput: "One sentence",
    agent,
    ...options,
  });
}

/** A tool that always has an answer. */
export const stock = tool({
  name: "stock",
  description: "How many of an item are in stock?",
  input: z.object({ item: z.string() }),
  run: ({ item }) => `${item.length} of ${item}`,
});
