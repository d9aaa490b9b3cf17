// Types of the API's answers, from the client. The types below belong only to the console.
import type {
  EventPage,
  ForkOptions,
  Graph as AnyGraph,
  GraphNode as AnyNode,
  ModelCallSummary,
  ModelCallView,
  Run,
  RunSummary,
  Step,
  StepDetail,
  WaitSummary,
} from "../src/client/index.ts";

export type { About, NodeState, Page, RunStatus, TaskState, Wait } from "../src/client/index.ts";
export type { SessionView as Session } from "../src/access/sessions-part.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };
export type JsonSchema = { readonly [key: string]: Json };
export type { StartKind as TargetKind } from "../src/client/start-kinds.ts";

export type Failure = {
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
};

/** A run in a list. */
export type RunRow = RunSummary;
export type RunView = Run;
export type WaitRow = WaitSummary;
export type ForkRequest = ForkOptions;
export type Usage = Pick<
  Run["usage"],
  "promptTokens" | "completionTokens" | "totalTokens" | "requests" | "costUsd"
>;
export type UsageBy = NonNullable<Run["usageBy"]>[number];

/** A page of the stored events of a run. */
export type EventsPage = EventPage;
export type KeptEvent = EventPage["items"][number];

export type StepState = Step["state"];
/** A row of the journal. A row made from events lacks most fields. */
export type StepRow = Pick<StepDetail, "key" | "state" | "attempt" | "startedAt" | "bytes"> &
  Partial<Omit<StepDetail, "kind" | "usage">> & { readonly kind: string; readonly usage?: Usage };
export type Cause = NonNullable<StepDetail["cause"]>;

export type CallSummary = ModelCallSummary;
export type ModelCall = ModelCallView;
export type Message = ModelCallView["request"]["messages"][number];

type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
/** A graph with a layout. */
export type GraphNode = Omit<AnyNode, "kind"> & Box & { readonly kind: string };
export type Graph = Omit<AnyGraph, "size" | "nodes" | "groups"> & {
  readonly size: NonNullable<AnyGraph["size"]>;
  readonly nodes: readonly GraphNode[];
  readonly groups: ReadonlyArray<AnyGraph["groups"][number] & Box>;
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
  readonly llm?: string;
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
