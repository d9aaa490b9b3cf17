// Runs a crew or an agent on Edgecrew, as a program of a user's would.
import * as z from "zod";
import { Agent, Crew, Task, tool, type TaskOptions, type Tool } from "../../../src/index.ts";
import { Knowledge } from "../../../src/entry/knowledge.ts";
import { Memory } from "../../../src/entry/memory.ts";
import {
  SHAPE,
  TOOL_RESULTS,
  TOOL_TEXTS,
  type AgentProgram,
  type CrewProgram,
  type ProgramAgent,
  type ProgramTask,
  type ToolName,
} from "./program.ts";

const NOTICE = z.object({
  title: z.string().describe(SHAPE.title),
  count: z.number().int().describe(SHAPE.count),
});

export function runAgent(program: AgentProgram, server: string): Promise<unknown> {
  const agent = agentOf(program.agents[0], modelOf(program.id, server));
  return agent.kickoff(program.question, program.shape ? { responseFormat: NOTICE } : {});
}

export async function runCrew(program: CrewProgram, server: string): Promise<unknown> {
  const { inputs, tasks } = program;
  const crew = await crewOf(program, modelOf(program.id, server));
  const words = tasks.flatMap(({ human = [] }) => human);
  const run = crew.start(inputs === undefined ? {} : { inputs });
  if (words.length > 0) await answerAll(run, words);
  return run.output();
}

/** Says the words on the answers that wait, then accepts. */
async function answerAll(run: ReturnType<Crew["start"]>, words: readonly string[]): Promise<void> {
  const left = [...words];
  for (;;) {
    const { status, waits } = await run.status();
    if (status === "completed" || status === "failed" || status === "cancelled") return;
    const wait = waits.find(({ kind }) => kind === "human");
    if (wait === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    else await run.resume({ key: wait.key, feedback: left.shift() ?? "" });
  }
}

type Model = { readonly model: string; readonly baseUrl: string; readonly apiKey: string };

function modelOf(id: string, server: string): Model {
  return { model: "openai/gpt-4o", baseUrl: `${server}/ours/${id}/v1`, apiKey: "k" };
}

function embedderOf({ baseUrl }: Model): object {
  const config = { model: "text-embedding-3-small", apiBase: baseUrl, apiKey: "k" };
  return { provider: "openai", config };
}

function agentOf(given: ProgramAgent, model: Model): Agent {
  const { role, goal, backstory, tools = [], delegates, text, today, knowledge, maxIter } = given;
  return new Agent({
    role,
    goal,
    backstory,
    llm: text ? { ...model, toolCalling: "text" } : model,
    tools: tools.map(toolOf),
    ...(delegates ? { allowDelegation: true } : {}),
    ...(today ? { injectDate: true } : {}),
    ...(maxIter === undefined ? {} : { maxIter }),
    ...(knowledge === undefined ? {} : { knowledge: knowledgeOf(knowledge, model) }),
  });
}

function knowledgeOf(text: string, model: Model): Knowledge {
  return new Knowledge({
    name: "chronicle",
    embedder: embedderOf(model),
    sources: [{ name: "chronicle.md", text }],
  });
}

async function crewOf({ agents, tasks, crew = {} }: CrewProgram, model: Model): Promise<Crew> {
  const made = new Map(agents.map((each) => [each.key, agentOf(each, model)]));
  const done = new Map<string, Task>();
  for (const each of tasks) done.set(each.name, new Task(taskOptions(each, made, done)));
  const { manager, planning, knowledge, memory } = crew;
  return new Crew({
    agents: [...made.values()],
    tasks: [...done.values()],
    ...(manager === undefined ? {} : { process: "hierarchical" as const }),
    ...(manager === "llm" ? { managerLlm: model } : {}),
    ...(manager === "agent" ? { managerAgent: wardenOf(model) } : {}),
    ...(planning ? { planning, planningLlm: model } : {}),
    ...(knowledge === undefined ? {} : { knowledge: knowledgeOf(knowledge, model) }),
    ...(memory === undefined ? {} : { memory: await memoryOf(memory, model) }),
  });
}

function wardenOf(llm: Model): Agent {
  return new Agent({
    role: "Port Warden",
    goal: "Keep the whole port in order",
    backstory: "You hold the keys of every gate.",
    llm,
    allowDelegation: true,
  });
}

async function memoryOf(texts: readonly string[], model: Model): Promise<Memory> {
  const memory = new Memory({ llm: model, embedder: embedderOf(model) });
  for (const text of texts)
    await memory.remember(text, { scope: "/", categories: [], importance: 0.5 });
  return memory;
}

function taskOptions(
  given: ProgramTask,
  agents: ReadonlyMap<string, Agent>,
  tasks: ReadonlyMap<string, Task>,
): TaskOptions {
  const { name, description, expected, context, async, shape, guardrail, markdown, human } = given;
  const agent = agents.get(given.agent ?? "");
  return {
    name,
    description,
    expectedOutput: expected,
    ...(agent === undefined ? {} : { agent }),
    ...(context === undefined ? {} : { context: context.flatMap((each) => tasks.get(each) ?? []) }),
    ...(async ? { asyncExecution: true } : {}),
    ...(shape ? { output: NOTICE } : {}),
    ...(guardrail === undefined ? {} : { guardrail: guardrailOf(guardrail) }),
    ...(markdown ? { markdown } : {}),
    ...(human === undefined ? {} : { humanInput: true }),
  };
}

function guardrailOf(
  guardrail: NonNullable<ProgramTask["guardrail"]>,
): NonNullable<TaskOptions["guardrail"]> {
  if ("rule" in guardrail) return guardrail.rule;
  let asked = 0;
  return ({ raw }) => (asked++ === 0 ? [false, guardrail.refuses] : [true, raw]);
}

export function toolOf(name: ToolName): Tool {
  const inputs = {
    stock: z.object({ goods: z.string().describe("Kind of goods") }),
    tide: z.object({ hour: z.number().int().describe("Hour of the day") }),
    broken: z.object({ gate: z.string().describe("Name of the gate") }),
  } as const;
  return tool({
    name,
    description: TOOL_TEXTS[name],
    input: inputs[name] as z.ZodObject,
    run: () => {
      if (name === "broken") throw new Error(TOOL_RESULTS[name]);
      return TOOL_RESULTS[name];
    },
  });
}
