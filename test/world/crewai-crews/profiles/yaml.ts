import type { CaseWriter } from "../case-writer.ts";
import type { CaseAgent, CaseTask, CrewCase } from "../crew-case.ts";

/** A project with `agents.yaml` and `tasks.yaml`: block styles, quotes, references. */
export function yaml(writer: CaseWriter, made: CrewCase): void {
  for (const agent of made.agents) {
    agent.tools = [];
    delete agent.maxIter;
    delete agent.resultAsAnswer;
  }
  for (const task of made.tasks) {
    delete task.condition;
    delete task.guardrail;
    delete task.json;
    delete task.tools;
    if (task.context?.length === 0) delete task.context;
    made.script[task.name] = [{ text: writer.phrase(), final: true }];
  }
  for (const [task, replies] of Object.entries(made.script))
    made.script[task] = replies.map((reply) => ({ ...reply, key: reply.text ?? "" }));
  made.yaml = {
    agents: made.agents.map((agent) => agentYaml(writer, agent)).join("\n"),
    tasks: made.tasks.map((task) => taskYaml(writer, task)).join("\n"),
  };
}

const BLOCKS: readonly ((text: string) => string)[] = [
  (text) => `>\n${PAD}${text.split(". ").join(`.\n${PAD}`)}`,
  (text) => `|\n${PAD}${text.split(". ").join(`.\n${PAD}`)}`,
  (text) => JSON.stringify(text),
  (text) => `'${text.replaceAll("'", "''")}'`,
  (text) => `>-\n${PAD}${text}`,
  (text) => `>\n${PAD}${text}\n`,
];

const PAD = "    ";

function agentYaml({ random }: CaseWriter, { key, role }: CaseAgent): string {
  const block = (text: string): string => random.pick(BLOCKS)(text);
  return lines([
    `${key}:`,
    `  role: ${block(role)}`,
    `  goal: ${block("Do the work. Mind {topic}")}`,
    `  backstory: ${block("You're known for it: works without a fuss")}`,
    random.chance(0.3) && "  verbose: true",
    random.chance(0.3) && "  max_iter: 4",
    random.chance(0.2) && "  allow_delegation: false",
    random.chance(0.2) && "  respect_context_window: true",
  ]);
}

function taskYaml({ random }: CaseWriter, task: CaseTask): string {
  const block = (text: string): string => random.pick(BLOCKS)(text);
  const { name, description, agent = "", context = [] } = task;
  return lines([
    `${name}:`,
    `  description: ${block(`First part of it. ${description}`)}`,
    `  expected_output: ${block("A line about {topic}")}`,
    `  agent: ${agent}`,
    context.length > 0 && `  context: [${context.join(", ")}]`,
    task.async === true && "  async_execution: true",
    random.chance(0.2) && "  markdown: true",
    random.chance(0.2) && "  human_input: false",
  ]);
}

function lines(all: readonly (string | false)[]): string {
  return all
    .filter((line) => line !== false)
    .map((line) => `${line}\n`)
    .join("");
}
