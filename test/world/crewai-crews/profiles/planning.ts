import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase } from "../crew-case.ts";

/** A plan for all tasks, for all but the first, or no plan. */
export function planning({ random }: CaseWriter, made: CrewCase): void {
  made.crew.planning = true;
  const plans = made.tasks.map(({ name }, index) => ({
    task_number: index + 1,
    task: `part ${index}`,
    plan: `PLAN-OF-${name}`,
  }));
  const texts = [
    JSON.stringify({ list_of_plans_per_task: plans }),
    "no json at all",
    JSON.stringify({ list_of_plans_per_task: plans.slice(1) }),
  ];
  made.script["PLAN"] = [{ text: random.pick(texts) }];
}
