/** Names of the options of a task. */
export const TASK_OPTION_NAMES = {
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

/** Replacements for CrewAI options that a task does not have. */
export const TASK_OPTION_ADVICE = {
  callbacks: "write callback",
  config: "write its fields as options, or read the file with crewFromProject()",
  converterCls: "write converter, a function",
  createDirectory: "leave it out: folders need not exist",
  maxRetries: "write guardrailMaxRetries",
  outputJson: "write output, a zod schema or a JSON Schema",
  outputPydantic: "write output, a zod schema or a JSON Schema",
  outputSchema: "write output",
} as const;
