import type { CaseWriter } from "../case-writer.ts";
import type { CrewCase } from "../crew-case.ts";

/** A person who reads the answers of some tasks, and has them written again or accepts them. */
export function human(writer: CaseWriter, made: CrewCase): void {
  const { random } = writer;
  const reviewed = made.tasks.filter(() => random.chance(0.6));
  const words: string[] = [];
  for (const task of reviewed) {
    delete task.condition;
    delete task.guardrail;
    delete task.json;
    task.human = true;
    const rounds = random.below(3);
    const more = Array.from({ length: rounds }, () => {
      words.push(`say more about ${writer.word()}`);
      const text = writer.phrase();
      return { text, final: true as const, key: text };
    });
    words.push("");
    made.script[task.name] = [...(made.script[task.name] ?? []), ...more];
  }
  made.humanSays = words;
}
