import { optionNames, type KnownOptions } from "../../base/unknown-options.ts";
import type { ConditionalTaskOptions } from "./conditional-task.ts";
import type { TaskOptions } from "./task.ts";

const TASK = {
  description: true,
  expectedOutput: true,
  name: true,
  agent: true,
  tools: true,
  mcps: true,
  context: true,
  asyncExecution: true,
  output: true,
  responseModel: true,
  converter: true,
  guardrail: true,
  guardrails: true,
  guardrailMaxRetries: true,
  humanInput: true,
  markdown: true,
  outputFile: true,
  inputFiles: true,
  allowCrewaiTriggerContext: true,
  toolFailurePolicy: true,
  callback: true,
  securityConfig: true,
} as const;

const ADVICE = {
  callbacks: "write callback",
  config: "write its fields as options, or read the file with crewFromProject()",
  converterCls: "write converter, a function",
  createDirectory: "leave it out: folders need not exist",
  maxRetries: "write guardrailMaxRetries",
  outputJson: "write output, a zod schema or a JSON Schema",
  outputPydantic: "write output, a zod schema or a JSON Schema",
  outputSchema: "write output",
} as const;

/** Options of `new Task()`, and replacements for CrewAI options it does not have. */
export const TASK_OPTIONS: KnownOptions = {
  method: "new Task()",
  code: "invalid_definition",
  known: optionNames<TaskOptions>(TASK),
  advice: { ...ADVICE, condition: "a task with a condition is a ConditionalTask" },
};

/** The options of `new ConditionalTask()`. */
export const CONDITIONAL_TASK_OPTIONS: KnownOptions = {
  method: "new ConditionalTask()",
  code: "invalid_definition",
  known: optionNames<ConditionalTaskOptions>({ ...TASK, condition: true }),
  advice: ADVICE,
};
