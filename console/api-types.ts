// What the API answers, as far as the console reads it. What an older Worker or one without the console's part lacks is optional.
import type { RunStatus, TaskState, Wait } from "../src/client/index.ts";

export type { About, RunStatus, TaskState, Wait } from "../src/client/index.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonSchema = { readonly [key: string]: Json };
export type Page<T> = {
  readonly items: readonly T[];
  readonly nextCursor?: string;
  readonly prevCursor?: string;
  readonly count?: number;
  readonly countCapped?: boolean;
  /** How far back a bounded scan has read. */
  readonly scannedTo?: string;
};

export type Session = {
  readonly authenticated: boolean;
  readonly via?: string;
  readonly tenant?: string;
  readonly scopes?: readonly string[];
  readonly by?: string;
  readonly mode: "open" | "keys";
  readonly methods: readonly string[];
  readonly noKeyYet?: boolean;
};

export type TargetKind = "crew" | "flow" | "agent" | "conversation";

export type Failure = {
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
};

/** A run in a list. */
export type RunRow = {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly durationMs?: number;
  readonly usage?: { readonly tokens: number; readonly costUsd: number; readonly requests: number };
  readonly waits?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly tags?: readonly string[];
  readonly trigger?: string;
  readonly origin?: string;
  readonly held?: boolean | string;
  readonly parent?: { readonly id: string; readonly key: string };
  /** Of a row that came with a change. */
  readonly change?: number;
};

export type ChangesPage = {
  readonly items: readonly RunRow[];
  readonly next: number;
  readonly more: boolean;
};

/** A page of the kept events of a run. */
export type EventsPage = {
  readonly items: readonly KeptEvent[];
  readonly next: number;
  readonly more: boolean;
};
export type KeptEvent = {
  readonly seq: number;
  readonly type: string;
  readonly at?: string;
  readonly path?: string;
};

export type Usage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly requests: number;
  readonly costUsd: number;
};

export type UsageBy = {
  readonly model: string;
  readonly agent?: string;
  readonly task?: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costUsd: number;
};

export type RunView = {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly paused?: true;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly output?: Json;
  readonly error?: Failure;
  readonly usage: Usage;
  readonly usageBy?: readonly UsageBy[];
  readonly waits: readonly Wait[];
  readonly held?: {
    readonly code: string;
    readonly message: string;
    readonly key?: string;
    readonly since?: string;
  };
  readonly tasks?: readonly TaskState[];
  readonly definitionVersion?: string;
  readonly version?: { readonly code?: string; readonly definition?: string | number };
  readonly tags?: readonly string[];
  readonly trigger?: string;
  readonly children?: { readonly total: number; readonly open: number };
  readonly budget?: { readonly maxCostUsd?: number; readonly maxTokens?: number };
  readonly meta?: Readonly<Record<string, Json>>;
  readonly origin?: { readonly runId: string; readonly before?: string; readonly edited?: string };
  readonly parent?: { readonly id: string; readonly key: string };
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

export type StepState = "started" | "done" | "error" | "waiting";

export type StepRow = {
  readonly key: string;
  readonly kind: string;
  readonly label?: string;
  readonly parent?: string;
  readonly state: StepState;
  readonly attempt: number;
  /** Its places in the order of all starts and ends; absent in what events say. */
  readonly seq?: { readonly start: number; readonly end?: number };
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly bytes: number;
  readonly value?: Json;
  readonly omitted?: number;
  readonly truncated?: number;
  readonly error?: Failure;
  readonly usage?: Usage;
  readonly model?: string;
  readonly agent?: string;
  readonly interrupted?: boolean;
  readonly edited?: boolean;
  readonly hash?: string;
  readonly wait?: Wait;
  readonly cause?: Cause;
  readonly retries?: readonly { readonly at: string; readonly error: Failure }[];
  readonly idempotencyKey?: string;
};

export type Cause =
  | { readonly how: "asked" | "woke" | "called"; readonly key: string }
  | { readonly how: "fed"; readonly keys: readonly string[] }
  | { readonly how: "answered"; readonly by?: string; readonly at: string }
  | { readonly how: "expired" }
  | { readonly how: "child" | "copied"; readonly run: string };

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };
export type Message = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content:
    | string
    | readonly {
        readonly type: string;
        readonly text?: string;
        readonly name?: string;
        readonly mediaType?: string;
      }[]
    | null;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly name?: string;
  readonly truncated?: number;
};

export type CallSummary = {
  readonly key: string;
  readonly model?: string;
  readonly agent?: string;
  readonly task?: string;
  readonly purpose?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
  readonly attempt: number;
  readonly usage?: Usage;
  readonly error?: Failure;
};

export type ModelCall = CallSummary & {
  readonly request: {
    readonly messages: readonly Message[];
    readonly tools?: readonly {
      readonly name: string;
      readonly description?: string;
      readonly parameters?: Json;
    }[];
    readonly settings?: Json;
    readonly recorded: "full" | "cut" | "none";
  };
  readonly response?: {
    readonly text: string;
    readonly thinking?: string;
    readonly toolCalls?: readonly ToolCall[];
    readonly finishReason?: string;
  };
  readonly costUsd?: number;
};

export type WaitRow = Wait & {
  readonly openedAt: string;
  readonly run: {
    readonly id: string;
    readonly kind: string;
    readonly name: string;
    readonly tags?: readonly string[];
  };
};

export type ForkRequest = {
  readonly fromStep?: string;
  readonly fromTask?: string;
  readonly fromStart?: true;
  readonly edit?: { readonly key: string; readonly value: Json };
  readonly inputs?: Readonly<Record<string, Json>>;
  readonly llm?: string;
  readonly branch?: string;
  readonly definition?: string;
};

export type NodeState = {
  readonly state:
    | "idle"
    | "running"
    | "waiting"
    | "sleeping"
    | "done"
    | "failed"
    | "skipped"
    | "stopped";
  readonly count: number;
  readonly durationMs: number;
  readonly costUsd?: number;
  readonly waits?: readonly string[];
  readonly error?: string;
};
export type GraphNode = {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly sub?: string;
  readonly group?: string;
  readonly key?: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly start?: boolean;
  readonly router?: boolean;
  readonly human?: boolean;
  readonly state?: NodeState;
};
export type Graph = {
  readonly kind: string;
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly groups: readonly {
    readonly id: string;
    readonly label: string;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly kind: string;
    readonly label?: string;
    readonly back?: boolean;
    readonly path: string;
    readonly count?: number;
  }[];
  readonly warnings: readonly string[];
};

/** A crew, flow, agent or conversation in a list: each kind has its own fields. */
export type TargetRow = {
  readonly name: string;
  readonly source?: "code" | "stored";
  readonly version?: number;
  readonly description?: string;
  readonly process?: string;
  readonly pattern?: string;
  readonly role?: string;
  readonly goal?: string;
  readonly backstory?: string;
  readonly agents?: readonly {
    readonly role?: string;
    readonly name?: string;
    readonly goal?: string;
    readonly description?: string;
    readonly backstory?: string;
    readonly llm?: string;
    readonly tools?: readonly (string | { readonly name: string })[];
  }[];
  readonly tasks?: readonly {
    readonly name: string;
    readonly description: string;
    readonly agent: string;
    readonly expectedOutput?: string;
  }[];
  readonly methods?: Readonly<Record<string, Json>>;
  readonly tools?: readonly string[];
  readonly inputs?: readonly string[];
  readonly warnings?: readonly { readonly path: string; readonly message: string }[];
  readonly error?: Failure;
};
export type TargetDetails = TargetRow & {
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly definition?: Json;
  readonly examples?: readonly Json[];
};
