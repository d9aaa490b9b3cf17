import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Crew } from "../crew/crew.ts";
import type { DefinitionRegistry } from "../crew/definition-registry.ts";
import type { EvaluationStore } from "../crew/evaluation-store.ts";
import type { TrainedStore } from "../crew/training.ts";
import type { DeclarativeFlows } from "../flow/declarative-flows.ts";
import type { FlowStore } from "../flow/flow-store.ts";
import type { BuiltFlow } from "../flow/flow.ts";
import type { ApiPart } from "../runtime/api-part.ts";
import type { DefinitionStore } from "../runtime/definition-store.ts";
import type { KeyStore, Scope } from "../runtime/key-store.ts";
import type { RunDirectory } from "../runtime/run-directory.ts";
import type { OutboundPolicy } from "../security/outbound.ts";
import type { Tool } from "../tools/tool.ts";

/** All that the HTTP layer needs of the world. */
export type AppServices = {
  readonly runs: RunDirectory;
  readonly definitions: DefinitionStore;
  readonly keys: KeyStore;
  /** What a tenant's crews were taught. */
  readonly trained: (tenant: string) => TrainedStore;
  /** How a tenant's crews did in tests. */
  readonly evaluations: (tenant: string) => EvaluationStore;
  /** The states that a tenant's flows have kept. */
  readonly flowStates?: (tenant: string) => FlowStore;
  /** Crews that came with the code, by the name that paths use. */
  readonly crews: Readonly<Record<string, Crew>>;
  /** Agents that came with the code, by the name that paths use. */
  readonly agents?: Readonly<Record<string, Agent>>;
  /** Flows that came with the code. */
  readonly flows?: Readonly<Record<string, BuiltFlow>>;
  /** Reads flows that come as data; without it there are none. */
  readonly declarativeFlows?: DeclarativeFlows;
  /** What stored definitions may name, built-in tools included. */
  readonly tools: readonly Tool[];
  readonly functions?: DefinitionRegistry["functions"];
  readonly schemas?: DefinitionRegistry["schemas"];
  readonly auth: AuthSettings;
  readonly cors?: CorsSettings;
  readonly webhooks?: WebhookSettings;
  readonly limits?: HttpLimits;
  /** What the deployment adds to the API. */
  readonly parts?: readonly ApiPart[];
  readonly clock: Clock;
  /** Fits `RUN_ID_PATTERN`. */
  readonly randomId: () => string;
  /** At least 128 bits from a secure source, in letters that a header can carry. */
  readonly randomSecret: () => string;
  /** Hears of every error that was not thrown on purpose; its message is told to nobody else. */
  readonly report?: (error: unknown) => void;
};

export type AuthSettings = {
  /** `open`: whoever comes without a known key acts for tenant `default` with all scopes. `keys`: nobody comes in without one. */
  readonly mode: "open" | "keys";
  /** A key of tenant `default` with all scopes; an empty one is none. */
  readonly adminKey?: string | undefined;
};

export type CorsSettings = {
  /** Origins whose pages may read answers, such as `https://app.example.com`. */
  readonly origins: readonly string[] | "*";
};

export type WebhookSettings = OutboundPolicy & {
  /** Whether webhooks without a secret of their own can be signed. */
  readonly hasSecret: boolean;
};

export type HttpLimits = {
  /** Request bodies, definitions included, in bytes. @default 1_048_576 */
  readonly maxBodyBytes?: number;
  /** Inputs of one kickoff for each. @default 1000 */
  readonly maxBatchInputs?: number;
};

/** Whom a request acts for. */
export type Caller = { readonly tenant: string; readonly scopes: readonly Scope[] };

export const DEFAULT_TENANT = "default";
export const MAX_BODY_BYTES = 1024 * 1024;

export type HttpEnv = { Variables: { services: AppServices; caller: Caller } };
