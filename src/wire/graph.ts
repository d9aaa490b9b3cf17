/** A definition, or a run of it, as a graph with a layout. */
export type Graph = {
  readonly kind: string;
  readonly name: string;
  /** Absent without a layout. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Boxes around nodes: the agents of a crew, the crews started by a run. */
  readonly groups: readonly GraphGroup[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Facts missing in the graph. */
  readonly warnings: readonly string[];
};

/** Query of a graph. A `layout` of `0` omits the places. */
export type GraphQuery = { readonly layout?: "0" | "1" | undefined };

/** Parts of a graph which its definition lacks: the work that a run added. */
export type GraphAddition = Pick<Graph, "nodes" | "groups" | "edges">;

/** Request for the graph of a definition, with what a run added to it. */
export type GraphRequest = GraphQuery & { readonly added?: GraphAddition };

/** A place in the layout of a graph: its upper left corner, and its size. */
export type GraphBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A box around related nodes. */
export type GraphGroup = { readonly id: string; readonly label: string } & Partial<GraphBox>;

/** A task, a method, a speaker, or a connector between them. */
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
  /** Id of the enclosing group. */
  readonly group?: string;
  /** Key of the node's step in a run; for a speaker `speaker:<name>`. Only nodes with a key have states. */
  readonly key?: string;
  /** Set for nodes at which a run begins. */
  readonly start?: true;
  /** Set if its return value selects the next nodes. */
  readonly router?: true;
  /** Set if it may be skipped. */
  readonly conditional?: true;
  /** Set if later nodes do not wait for it. */
  readonly async?: true;
  /** Set if it asks a person. */
  readonly human?: true;
  /** Set in a fork if it was done in the original run. */
  readonly copied?: true;
  readonly state?: NodeState;
} & Partial<GraphBox>;

/** A link from one node to another. */
export type GraphEdge = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: "fed" | "next" | "listens" | "routes" | "all" | "any" | "hands-off" | "delegates";
  readonly label?: string;
  /** Set for a link back to a node already passed. */
  readonly back?: true;
  /** The `d` of an SVG path; absent without a layout, and for a node that is drawn inside its origin. */
  readonly path?: string;
  /** Number of times a run has taken it. */
  readonly count?: number;
};

/** Progress of a node in a run. */
export type NodeState = {
  /** `sleeping`: until a time. `skipped`: a conditional node of an ended run. `stopped`: running when the run ended. */
  readonly state:
    | "idle"
    | "running"
    | "waiting"
    | "sleeping"
    | "done"
    | "failed"
    | "skipped"
    | "stopped";
  /** Executions begun; for a speaker, messages. */
  readonly count: number;
  /** Total duration of the ended executions, including waits for people. */
  readonly durationMs: number;
  /** Cost of model calls, as far as their price is known. */
  readonly costUsd?: number;
  /** Keys of the open waits. */
  readonly waits?: readonly string[];
  /** Error of the last ended execution, if it failed. */
  readonly error?: string;
};
