import type { RunProgram } from "../runtime/run-program.ts";
import type { RunStart } from "../runtime/run.ts";
import { batchProgram } from "./batch/batch.ts";
import type { Crew } from "./crew.ts";
import { actionProgram, readAction } from "./actions/crew-action.ts";
import { readPart } from "./batch/fan-out.ts";
import { runCrew, runPart } from "./run-crew.ts";
import type { RunnableCrew } from "./runnable-crew.ts";

/** Returns the program of a run started with `start`: a kickoff, another action, a batch, or some tasks of the crew. */
export function crewProgram(
  crew: Crew,
  start: Pick<RunStart, "kind" | "name" | "part" | "entry">,
): RunProgram {
  const { kind, name, entry } = start;
  if (entry !== undefined) return actionProgram(crew, readAction(entry), name);
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
