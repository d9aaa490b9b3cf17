import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import { batchProgram } from "./batch/batch.ts";
import type { Crew } from "./crew.ts";
import { entryProgram, readEntry } from "./entries/entry.ts";
import { readPart } from "./batch/fan-out.ts";
import type { RunnableCrew } from "./prepare-crew.ts";
import { runCrew, runPart } from "./run-crew.ts";

/** What a host runs that was started with this: the crew, another entry into it, a batch of it, or a part of it. */
export function crewProgram(
  crew: Crew,
  start: Pick<RunStart, "kind" | "name" | "part" | "entry">,
): RunProgram {
  const { kind, name, entry } = start;
  if (entry !== undefined) return entryProgram(crew, readEntry(entry), name);
  if (kind === "batch") return batchProgram(name, crew);
  const whole = crew.program();
  if (kind === "task") {
    const part = readPart(start.part);
    const keys = new Set(part.tasks.map(({ key }) => key));
    return {
      run: (scope, inputs) => runPart(scope, crew, { inputs, part }),
      tasks: whole.tasks.filter(({ key }) => keys.has(key)),
    };
  }
  const { agents, manager, tasks, taskKeys, prompts, securityConfig, options } = crew;
  const runnable: RunnableCrew = {
    name: crew.name,
    agents,
    manager,
    tasks,
    taskKeys,
    prompts,
    securityConfig,
    options,
    foundAs: name,
  };
  return { ...whole, run: (scope, inputs) => runCrew(scope, runnable, inputs) };
}
