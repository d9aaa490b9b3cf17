import type { CaseWriter } from "../case-writer.ts";
import type { CaseTask, CrewCase, Reply } from "../crew-case.ts";

/** Calls that hand a part of the work to a coworker, before the task's own, and what that coworker says. */
export function addDelegations(writer: CaseWriter, made: CrewCase): void {
  for (const task of made.tasks) {
    const agent = made.agents.find(({ key }) => key === task.agent);
    const mayDelegate = made.profile === "hierarchical" || agent?.allowDelegation;
    const calls = mayDelegate ? delegationsOf(writer, made, task) : [];
    const own = made.script[task.name] ?? [];
    const firstAnswer = own.findIndex(({ final }) => final);
    made.script[task.name] = own.toSpliced(firstAnswer, 0, ...calls);
  }
}

function delegationsOf(writer: CaseWriter, made: CrewCase, task: CaseTask): Reply[] {
  const { random } = writer;
  const given = made.inputs?.["topic"];
  const topic = typeof given === "string" ? given : "";
  return Array.from({ length: random.below(3) }, (_, index): Reply => {
    const other = random.pick(made.agents);
    const key = `${task.name}d${index}`;
    const role = other.role.replace("{topic}", topic);
    const spellings = [role, role, role, role.toLowerCase(), `"${role}"`, "Nobody", asName(role)];
    const coworker = random.pick(spellings);
    const context = "all you need";
    const call = [writer.call()].filter(({ name }) => other.tools.some((tool) => tool === name));
    made.script[key] = [
      ...(call.length > 0 && random.chance(0.4) ? [{ tools: call }] : []),
      { text: `sub ${writer.phrase()}` },
    ];
    const args = random.chance(0.6)
      ? { task: `Do this <<T:${key}>>`, context, coworker }
      : { question: `What is <<T:${key}>>`, context, coworker };
    const name = "task" in args ? "delegate_work_to_coworker" : "ask_question_to_coworker";
    return { tools: [{ name, args }] };
  });
}

function asName(role: string): string {
  return role.replaceAll(" ", "_").toLowerCase();
}
