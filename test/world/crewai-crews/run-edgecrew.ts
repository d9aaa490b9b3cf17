// Runs a case on Edgecrew, as a program of a user's would.
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { ConditionalTask } from "../../../src/crew/tasks/conditional-task.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task, type TaskOptions } from "../../../src/crew/tasks/task.ts";
import type { CrewOutput, TaskOutput } from "../../../src/crew/tasks/task-output.ts";
import { crewFromProject } from "../../../src/project/index.ts";
import type { CaseGuardrail, CaseTask, CrewCase } from "./crew-case.ts";
import { CaseTools } from "./case-tools.ts";
import type { Outcome, TaskOutcome } from "./outcome.ts";

const TITLED = z.object({ title: z.string(), count: z.number().int() });
const HANGS_MS = 180_000;

/** What was called during a run. */
type Notes = {
  readonly done: string[];
  readonly steps: string[];
  readonly marks: string[];
};

/** Events that both sides have under one name. */
const EVENTS: Readonly<Record<string, "task" | "alone">> = {
  crew_kickoff_started: "alone",
  crew_kickoff_completed: "alone",
  crew_kickoff_failed: "alone",
  task_started: "task",
  task_completed: "task",
  task_failed: "task",
  agent_execution_started: "task",
  agent_execution_completed: "task",
  agent_execution_error: "task",
};

type Ended = Pick<Outcome, "status" | "error" | "message" | "raw" | "object" | "tasks"> &
  Pick<Outcome, "streamed" | "full" | "events">;

/** How the case ends; what it asked the model for is added by the caller. */
export async function runOnEdgecrew(
  given: CrewCase,
  server: string,
): Promise<Omit<Outcome, "calls" | "seen">> {
  const tools = new CaseTools();
  const notes: Notes = { done: [], steps: [], marks: [] };
  const late = new Promise<Ended>((resolve) => {
    setTimeout(() => resolve({ status: "hangs" }), HANGS_MS).unref();
  });
  const ended = await Promise.race([late, runCrew(given, { server, tools, notes })]);
  return { id: given.id, ...ended, toolCalls: tools.calls, ...notes };
}

type Parts = { readonly server: string; readonly tools: CaseTools; readonly notes: Notes };

async function runCrew(given: CrewCase, parts: Parts): Promise<Ended> {
  try {
    if (given.yaml !== undefined) return await runProject(given, projectOf(given, parts));
    const crew = crewOf(given, parts);
    return { status: "completed", ...(await outcomeOf(given, crew)) };
  } catch (error) {
    const { code, name, message } = error as Error & { readonly code?: string };
    return { status: "failed", error: code ?? name, message: message.slice(0, 300) };
  }
}

/** A project's crew, with its events as a listener gets them. */
async function runProject(given: CrewCase, crew: Crew): Promise<Ended> {
  const run = crew.start({ inputs: (given.inputs ?? {}) as Record<string, never> });
  const events: string[] = [];
  for await (const event of run.events()) {
    const form = EVENTS[event.type];
    if (form === undefined) continue;
    const { taskName } = event as { readonly taskName?: string };
    events.push(form === "task" ? `${event.type}:${taskName}` : event.type);
  }
  return { status: "completed", ...shapeOf(await run.output()), events };
}

async function outcomeOf(given: CrewCase, crew: Crew): Promise<Omit<Ended, "status">> {
  if (given.each !== undefined) {
    const outputs = await crew.kickoffForEach(given.each);
    return {
      raw: outputs.map(({ raw }) => raw).join("|"),
      tasks: outputs.flatMap((output) => shapeOf(output).tasks),
    };
  }
  const start = given.inputs === null ? {} : { inputs: given.inputs as Record<string, never> };
  if (given.crew.stream) {
    const stream = crew.stream(start);
    let streamed = "";
    for await (const chunk of stream) if (chunk.chunkType === "text") streamed += chunk.content;
    return { ...shapeOf(stream.result), streamed, full: stream.getFullText() };
  }
  if (given.humanSays !== undefined) {
    const run = crew.start(start);
    await answerAll(run, [...given.humanSays]);
    return shapeOf(await run.output());
  }
  if (given.replayFrom !== undefined) {
    const run = crew.start(start);
    await run.output();
    const again = await crew.replay(run, { fromTask: given.replayFrom });
    return shapeOf((await again.output()) as unknown as CrewOutput);
  }
  return shapeOf(await crew.kickoff(start));
}

/** Says the person's words on each answer that waits. */
async function answerAll(run: ReturnType<Crew["start"]>, words: string[]): Promise<void> {
  for (;;) {
    const { status, waits } = await run.status();
    if (status === "completed" || status === "failed" || status === "cancelled") return;
    const wait = waits.find(({ kind }) => kind === "human");
    if (wait === undefined) await new Promise((resolve) => setTimeout(resolve, 3));
    else await run.resume({ key: wait.key, feedback: words.shift() ?? "" });
  }
}

function modelOf(given: CrewCase, { server }: Parts, isText = false) {
  return {
    model: "openai/gpt-4o",
    baseUrl: `${server}/ours/case/${given.id}/v1`,
    apiKey: "k",
    ...(isText ? { toolCalling: "text" as const } : {}),
  };
}

function projectOf(given: CrewCase, parts: Parts): Crew {
  const llm = modelOf(given, parts);
  const files = {
    "config/agents.yaml": given.yaml?.agents ?? "",
    "config/tasks.yaml": given.yaml?.tasks ?? "",
  };
  const agents = Object.fromEntries(given.agents.map(({ key }) => [key, { llm }]));
  return crewFromProject(files, { additions: { name: given.id, agents } });
}

function crewOf(given: CrewCase, parts: Parts): Crew {
  const { tools, notes } = parts;
  const agents = new Map(
    given.agents.map((each) => [
      each.key,
      new Agent({
        role: each.role,
        goal: each.goal,
        backstory: each.backstory,
        llm: modelOf(given, parts, each.text),
        tools: each.tools.map((name) => tools.of(name, each)),
        ...(each.maxIter === undefined ? {} : { maxIter: each.maxIter }),
        ...(each.allowDelegation ? { allowDelegation: true } : {}),
      }),
    ]),
  );
  const tasks = new Map<string, Task>();
  for (const each of given.tasks) {
    const agent = agents.get(each.agent ?? "");
    const context = each.context?.flatMap((name) => tasks.get(name) ?? []);
    const options = {
      ...taskOptions(each, parts),
      ...(agent === undefined ? {} : { agent }),
      ...(context === undefined ? {} : { context }),
    };
    const { condition } = each;
    const isMet = (output: TaskOutput): boolean => output.raw.includes(condition?.contains ?? "");
    tasks.set(
      each.name,
      condition === undefined
        ? new Task(options)
        : new ConditionalTask({ ...options, condition: isMet }),
    );
  }
  const { process, manager, planning, cache, callbacks = {} } = given.crew;
  const llm = modelOf(given, parts);
  return new Crew({
    name: given.id,
    agents: [...agents.values()],
    tasks: [...tasks.values()],
    ...(process === undefined ? {} : { process }),
    ...(manager === "llm" ? { managerLlm: llm } : {}),
    ...(manager === "agent"
      ? {
          managerAgent: new Agent({
            role: "Boss",
            goal: "Lead",
            backstory: "Calm",
            llm,
            allowDelegation: true,
          }),
        }
      : {}),
    ...(planning ? { planning, planningLlm: llm } : {}),
    ...(cache ? { cache } : {}),
    ...(callbacks.step
      ? {
          stepCallback: (step) =>
            notes.steps.push(
              step.kind === "finish" ? `finish:${step.output}` : `tool:${step.toolName}`,
            ),
        }
      : {}),
    ...(callbacks.task ? { taskCallback: ({ name }) => notes.marks.push(`task:${name}`) } : {}),
    ...(callbacks.before
      ? {
          beforeKickoff: [
            (inputs) => (notes.marks.push("before"), { ...inputs, added: "by before" }),
          ],
        }
      : {}),
    ...(callbacks.after
      ? {
          afterKickoff: [
            (output) => (notes.marks.push("after"), { ...output, raw: `${output.raw} (after)` }),
          ],
        }
      : {}),
  });
}

function taskOptions(each: CaseTask, { tools, notes }: Parts): TaskOptions {
  return {
    name: each.name,
    description: each.description,
    expectedOutput: each.expectedOutput,
    ...(each.async ? { asyncExecution: true } : {}),
    ...(each.tools === undefined ? {} : { tools: each.tools.map((name) => tools.of(name)) }),
    ...(each.guardrail === undefined
      ? {}
      : {
          guardrail: guardrailOf(each.guardrail, each.name, notes),
          guardrailMaxRetries: each.guardrail.retries,
        }),
    ...(each.json === undefined ? {} : { output: TITLED }),
    ...(each.markdown ? { markdown: true } : {}),
    ...(each.human ? { humanInput: true } : {}),
    callback: () => {
      notes.done.push(each.name);
      if (each.callbackThrows) throw new Error("the callback broke");
    },
  };
}

function guardrailOf(
  guardrail: CaseGuardrail,
  name: string,
  { marks }: Notes,
): NonNullable<TaskOptions["guardrail"]> {
  if (guardrail.text) return `The answer is a line <<G:${name}>>`;
  let asked = 0;
  return (output) => {
    marks.push(`guardrail:${name}`);
    if (asked++ < guardrail.refuse) return [false, "write it again"];
    if (guardrail.throws) throw new Error("the guardrail broke");
    if (guardrail.change !== undefined) return [true, guardrail.change];
    switch (guardrail.returns) {
      case "none":
        return [true, null];
      case "bool":
        return true as never;
      case "number":
        return [true, 42];
      case "output":
        return [true, output];
      default:
        return [true, output.raw];
    }
  };
}

function shapeOf(output: CrewOutput): {
  readonly raw: string;
  readonly object: unknown;
  readonly tasks: readonly TaskOutcome[];
} {
  return {
    raw: output.raw,
    object: output.object ?? null,
    tasks: output.tasks.map((task) => ({
      name: task.name,
      raw: task.raw,
      agent: task.agent,
      json: task.object ?? null,
      description: task.description,
      expected: task.expectedOutput,
      summary: task.summary,
      failures: (task.toolFailures ?? []).map(({ toolName }) => toolName),
    })),
  };
}
