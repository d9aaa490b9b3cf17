/** A definition, or a run of it, as a graph that is laid out. */
export type Graph = {
  readonly kind: string;
  readonly name: string;
  /** Absent without a layout. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Boxes around nodes: the agents of a crew, the crews that a run has started. */
  readonly groups: readonly GraphGroup[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** What the graph cannot know. */
  readonly warnings: readonly string[];
};

/** Whether a graph is wanted without the places of what is in it: `layout` is then `0`. */
export type GraphQuery = { readonly layout?: "0" | "1" | undefined };

/** A place in a graph that is laid out: its upper left corner, and its size. */
export type GraphBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A box around nodes that belong together. */
export type GraphGroup = { readonly id: string; readonly label: string } & Partial<GraphBox>;

/** A task, a method, a speaker, or what stands between them. */
export type GraphNode = {
  readonly id: string;
  readonly kind:
    | "task"
    | "agent"
    | "manager"
    | "method"
    | "label"
    | "join"
    | "speaker"
    | "human"
    | "end";
  readonly label: string;
  /** A second, smaller line. */
  readonly sub?: string;
  /** The group that it is in. */
  readonly group?: string;
  /** The step of a run that it stands for; of a speaker `speaker:<name>`. Only nodes with a key have states. */
  readonly key?: string;
  /** A run begins here. */
  readonly start?: true;
  /** What it returns decides what follows. */
  readonly router?: true;
  /** It may be skipped. */
  readonly conditional?: true;
  /** What follows does not wait for it. */
  readonly async?: true;
  /** A person is asked. */
  readonly human?: true;
  /** Of a fork: it was done in the run that this one was forked from. */
  readonly copied?: true;
  readonly state?: NodeState;
} & Partial<GraphBox>;

/** What leads from one node to another. */
export type GraphEdge = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "fed" | "next" | "listens" | "routes" | "all" | "any" | "hands-off" | "delegates";
  readonly label?: string;
  /** It leads back to where the graph has been. */
  readonly back?: true;
  /** The `d` of an SVG path; absent without a layout. */
  readonly path?: string;
  /** How often a run has taken it. */
  readonly count?: number;
};

/** How far a node is in a run. */
export type NodeState = {
  /** `sleeping`: until a time. `skipped`: a conditional node of a run that has ended. `stopped`: under way when the run ended. */
  readonly state:
    | "idle"
    | "running"
    | "waiting"
    | "sleeping"
    | "done"
    | "failed"
    | "skipped"
    | "stopped";
  /** Executions that have begun; of a speaker, messages. */
  readonly count: number;
  /** Of the executions that have ended; waiting for people is part of it. */
  readonly durationMs: number;
  /** Of model calls, as far as their price is known. */
  readonly costUsd?: number;
  /** Keys of the open waits. */
  readonly waits?: readonly string[];
  /** Of the execution that ended last, if it failed. */
  readonly error?: string;
};
