import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase } from "../crew-case.ts";
import { addDelegations } from "./coworkers.ts";

/** A manager with a model, or an agent, does every task. */
export function hierarchical(writer: CaseWriter, made: CrewCase): void {
  const { random } = writer;
  addDelegations(writer, made);
  made.crew.process = "hierarchical";
  made.crew.manager = random.pick(["llm", "agent"] as const);
  for (const task of made.tasks) {
    if (random.chance(0.5)) delete task.agent;
    delete task.condition;
  }
}
