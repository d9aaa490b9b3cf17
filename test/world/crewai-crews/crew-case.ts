// A random crew as data: both runners build it with the public API of their side.

export const PROFILES = [
  "base",
  "answers",
  "tools",
  "react",
  "delegation",
  "hierarchical",
  "inputs",
  "each",
  "planning",
  "limits",
  "errors",
  "stream",
  "yaml",
  "human",
  "replay",
] as const;

export type Profile = (typeof PROFILES)[number];

export type ToolName = "lookup" | "add" | "fails";

export type ScriptedCall = {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Arguments as text, in place of `args`. */
  readonly rawArgs?: string;
};

/** One answer of the model. */
export type Reply = {
  readonly text?: string;
  readonly tools?: readonly ScriptedCall[];
  /** Words beside the calls. */
  readonly say?: string;
  /** The text calls a tool. */
  readonly action?: true;
  /** The text answers its task. */
  readonly final?: true;
  /** The part of a final text that later prompts are searched for. */
  readonly key?: string;
  readonly error?: { readonly status: number; readonly type: string; readonly message: string };
};

export type CaseAgent = {
  readonly key: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  tools: readonly ToolName[];
  maxIter?: number;
  resultAsAnswer?: true;
  maxUsage?: number;
  allowDelegation?: true;
  /** Without native tool calls. */
  text?: true;
};

export type CaseGuardrail = {
  refuse: number;
  retries: number;
  change?: string;
  throws?: true;
  /** A rule in words. */
  text?: true;
  returns?: "none" | "bool" | "output" | "number";
};

export type CaseTask = {
  readonly name: string;
  description: string;
  expectedOutput: string;
  agent?: string;
  context?: readonly string[];
  async?: true;
  condition?: { readonly contains: string };
  guardrail?: CaseGuardrail;
  json?: "json" | "pydantic";
  tools?: readonly ToolName[];
  callbackThrows?: true;
  markdown?: true;
  human?: true;
};

export type CrewCase = {
  id: string;
  readonly profile: Profile;
  readonly agents: readonly CaseAgent[];
  readonly tasks: readonly CaseTask[];
  inputs: Readonly<Record<string, unknown>> | null;
  readonly crew: {
    process?: "hierarchical";
    manager?: "llm" | "agent";
    planning?: true;
    cache?: true;
    stream?: true;
    callbacks?: Readonly<Partial<Record<"step" | "task" | "before" | "after", true>>>;
  };
  each?: readonly Readonly<Record<string, string>>[];
  yaml?: { readonly agents: string; readonly tasks: string };
  /** Task from which the crew is replayed after its kickoff; the outcome is that of the replay. */
  replayFrom?: string;
  /** Words of a person on each answer that waits; at the end of the list everything is accepted. */
  humanSays?: readonly string[];
  /** Answers of the model by the task that it answers for. */
  script: Record<string, readonly Reply[]>;
};
