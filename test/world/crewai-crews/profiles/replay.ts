import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase } from "../crew-case.ts";
import { scriptOf } from "../make-script.ts";

/** A crew that is replayed from one of its tasks: the model has another answer for all that is done again. */
export function replay(writer: CaseWriter, made: CrewCase): void {
  const { random } = writer;
  made.replayFrom = random.pick(made.tasks).name;
  for (const task of made.tasks) {
    const agent = made.agents.find(({ key }) => key === task.agent);
    if (agent === undefined) continue;
    const again = scriptOf(writer, task, { agent, profile: "replay" });
    made.script[task.name] = [...(made.script[task.name] ?? []), ...again];
  }
}
