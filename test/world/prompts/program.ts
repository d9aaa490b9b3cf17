// Programs whose requests to the model are compared, as data for both sides.

export type Reply = {
  readonly text?: string;
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
};

export type ToolName = "stock" | "tide" | "broken";

export type ProgramAgent = {
  readonly key: string;
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly tools?: readonly ToolName[];
  readonly delegates?: true;
  /** Without native calls. */
  readonly text?: true;
  readonly today?: true;
  readonly knowledge?: string;
  readonly maxIter?: number;
};

export type ProgramTask = {
  readonly name: string;
  readonly description: string;
  readonly expected: string;
  readonly agent?: string;
  readonly context?: readonly string[];
  readonly async?: true;
  readonly shape?: true;
  readonly guardrail?: { readonly refuses: string } | { readonly rule: string };
  readonly markdown?: true;
  readonly human?: readonly string[];
};

export type CrewProgram = {
  readonly id: string;
  readonly kind: "crew";
  readonly agents: readonly ProgramAgent[];
  readonly tasks: readonly ProgramTask[];
  readonly crew?: {
    readonly manager?: "llm" | "agent";
    readonly planning?: true;
    readonly knowledge?: string;
    readonly memory?: readonly string[];
  };
  readonly inputs?: Readonly<Record<string, string>>;
  readonly replies: readonly Reply[];
};

/** One agent that is asked without a crew. */
export type AgentProgram = {
  readonly id: string;
  readonly kind: "agent";
  readonly agents: readonly [ProgramAgent];
  readonly question: string;
  readonly shape?: true;
  readonly replies: readonly Reply[];
};

export type Speaker = {
  readonly name: string;
  readonly system: string;
  readonly description?: string;
  readonly tools?: readonly ToolName[];
  readonly nested?: {
    readonly trigger: string;
    readonly recipient: string;
    readonly message: string;
  };
  readonly handoff?: { readonly to: string; readonly when: string };
};

export type ChatProgram = {
  readonly id: string;
  readonly kind: "chat";
  readonly speakers: readonly Speaker[];
  readonly message: string;
  readonly way:
    | { readonly how: "two"; readonly turns: number; readonly reflects?: true }
    | { readonly how: "queue"; readonly messages: readonly string[] }
    | {
        readonly how: "group";
        readonly method: "auto" | "round_robin";
        readonly rounds: number;
        readonly introduces?: true;
        readonly noRepeat?: true;
      }
    | {
        readonly how: "pattern";
        readonly pattern: "auto" | "default" | "round_robin";
        readonly rounds: number;
        readonly variables?: Readonly<Record<string, string>>;
      };
  readonly replies: readonly Reply[];
};

export type Program = CrewProgram | AgentProgram | ChatProgram;

/** Tools as both sides define them. */
export const TOOL_TEXTS: Readonly<Record<ToolName, string>> = {
  stock: "Counts the crates of one kind of goods",
  tide: "Tells the height of the tide at an hour",
  broken: "Opens the old sluice",
};

export const TOOL_RESULTS = {
  stock: "forty-one crates counted",
  tide: "the water stands at nine feet",
  broken: "the sluice is rusted shut",
} as const;

/** The shape of an answer: names and what they mean. */
export const SHAPE = {
  title: "Headline of the notice",
  count: "Number of vessels",
} as const;
