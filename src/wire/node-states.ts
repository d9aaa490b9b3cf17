// Progress of a graph's nodes in a run, computed from the run's events.
//
//   GNS1. States are a function of the graph and the events, in their order: computed later, or elsewhere, they are the
//         same. An event applied before has no effect.
//   GNS2. Work missing in the graph, such as delegated tasks or started crews, becomes a node below its origin.
//
// Servers and clients use this file, so it imports types only.
import type { Graph, GraphEdge, GraphGroup, GraphNode, NodeState } from "./graph.ts";

/** Events of every run: its status and its waits. */
export const STATUS_EVENTS = [
  "run_started",
  "run_waiting",
  "run_resumed",
  "run_paused",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "wait_opened",
  "wait_settled",
] as const;

/** Events used for states. */
export const GRAPH_EVENTS = [
  ...STATUS_EVENTS,
  "crew_kickoff_started",
  "task_started",
  "task_completed",
  "task_failed",
  "method_execution_started",
  "method_execution_finished",
  "method_execution_failed",
  "agent_execution_started",
  "agent_execution_completed",
  "agent_execution_error",
  "llm_call_completed",
  "chat_speaker_selected",
  "chat_message_sent",
] as const;

/** An event in the form of a run's streams: its type, place, time and more. */
export type GraphEvent = {
  readonly seq?: number;
  readonly type: string;
  readonly path: string;
  readonly at: string;
  readonly key?: string;
  readonly kind?: string;
  readonly error?: unknown;
  readonly result?: unknown;
  readonly taskName?: unknown;
  readonly agentRole?: unknown;
  readonly crewName?: unknown;
  readonly usage?: unknown;
  readonly speaker?: unknown;
  readonly sender?: unknown;
};

type NodeProgress = {
  count: number;
  durationMs: number;
  costUsd: number;
  /** Beginnings of running executions, by path, in milliseconds since the epoch. */
  open: Record<string, number>;
  /** The kinds of open waits, by key. */
  waits: Record<string, string>;
  /** Number of times a router returned each label. */
  results: Record<string, number> | undefined;
  error: string | undefined;
};

/** Progress of a run, as plain data. */
export type GraphProgress = {
  /** `seq` of the last applied event. */
  seq: number;
  status: string;
  /** Progress by key of the node. */
  nodes: Record<string, NodeProgress>;
  /** Nodes added by the run, in the order of their beginnings. */
  added: GraphNode[];
  groups: GraphGroup[];
  /** Current speaker of a conversation, and its place. */
  speaker: { key: string; path: string } | undefined;
  lastSpeaker: string | undefined;
  /** Number of changes between two speakers, by `from to` as JSON. */
  turns: Record<string, number>;
};

/** Returns the progress of a run before its first event; for a fork, with the copied nodes. */
export function noGraphProgress(graph: Pick<Graph, "nodes">): GraphProgress {
  const nodes = Object.create(null) as GraphProgress["nodes"];
  for (const { key, router, copied } of graph.nodes)
    if (key !== undefined)
      nodes[key] = { ...blankNode(router === true), count: copied === true ? 1 : 0 };
  return {
    seq: 0,
    status: "queued",
    nodes,
    added: [],
    groups: [],
    speaker: undefined,
    lastSpeaker: undefined,
    turns: Object.create(null) as Record<string, number>,
  };
}

function blankNode(isRouter: boolean): NodeProgress {
  return {
    count: 0,
    durationMs: 0,
    costUsd: 0,
    open: {},
    waits: {},
    results: isRouter ? (Object.create(null) as Record<string, number>) : undefined,
    error: undefined,
  };
}

/** Applies an event to the progress, which it changes. */
export function applyGraphEvent(progress: GraphProgress, event: GraphEvent): void {
  const { seq, type, path } = event;
  if (seq === undefined || seq <= progress.seq) return;
  progress.seq = seq;
  if (type.startsWith("run_")) {
    const status = type.slice("run_".length);
    progress.status = status === "started" || status === "resumed" ? "running" : status;
    return;
  }
  switch (type) {
    case "wait_opened":
    case "wait_settled":
      return applyWait(progress, event);
    case "crew_kickoff_started":
      if (path !== "")
        progress.groups.push({ id: executionKey(path), label: textOf(event.crewName) });
      return;
    case "llm_call_completed":
      for (const node of enclosing(progress, path)) node.costUsd += costOf(event.usage);
      return;
    case "chat_speaker_selected":
      return selectSpeaker(progress, event);
    case "chat_message_sent":
      return endTurn(progress, event);
    default:
      applyExecution(progress, event);
  }
}

/** Prefix of the last segment in the path of an execution. An agent with a task of its own has the path of the task. */
const PREFIX: Readonly<Record<string, string>> = {
  task: "task:",
  method: "method:",
  agent: "agent:",
};

function applyExecution(progress: GraphProgress, event: GraphEvent): void {
  const { type, path, at } = event;
  const [, what = "", phase = ""] =
    /^(task|method|agent)_(?:execution_)?([a-z]+)$/.exec(type) ?? [];
  const segment = path.slice(path.lastIndexOf("/") + 1);
  if (what === "" || !segment.startsWith(PREFIX[what] ?? " ")) return;
  const atMs = Date.parse(at);
  const node = nodeAt(progress, path) ?? addedNode(progress, event);
  if (phase === "started") {
    node.count++;
    node.open[path] = atMs;
    return;
  }
  const beganAtMs = node.open[path];
  // In a fork, a copied execution ends without a beginning.
  if (beganAtMs === undefined) node.count = Math.max(1, node.count);
  else node.durationMs += atMs - beganAtMs;
  delete node.open[path];
  const failed = phase === "failed" || phase === "error";
  node.error = failed ? textOf(event.error) : undefined;
  const { result } = event;
  const isLabel =
    typeof result === "string" || typeof result === "number" || typeof result === "boolean";
  if (node.results !== undefined && isLabel && !failed)
    node.results[String(result)] = (node.results[String(result)] ?? 0) + 1;
}

function applyWait(progress: GraphProgress, { type, key = "", kind = "" }: GraphEvent): void {
  const nodes = enclosing(progress, key);
  const speaker = progress.speaker && progress.nodes[progress.speaker.key];
  if (speaker !== undefined) nodes.push(speaker);
  for (const node of nodes)
    if (type === "wait_opened") node.waits[key] = kind;
    else delete node.waits[key];
}

function selectSpeaker(progress: GraphProgress, { path, at, speaker }: GraphEvent): void {
  const key = `speaker:${textOf(speaker)}`;
  const node = progress.nodes[key];
  if (node === undefined) return;
  closeTurn(progress);
  if (progress.lastSpeaker !== undefined) {
    const turn = JSON.stringify([progress.lastSpeaker, key]);
    progress.turns[turn] = (progress.turns[turn] ?? 0) + 1;
  }
  progress.speaker = { key, path };
  progress.lastSpeaker = key;
  node.open[path] = Date.parse(at);
}

function endTurn(progress: GraphProgress, { at, sender }: GraphEvent): void {
  const key = `speaker:${textOf(sender)}`;
  const node = progress.nodes[key];
  if (node === undefined) return;
  if (progress.speaker === undefined) progress.lastSpeaker ??= key; // the opener of the conversation
  if (progress.speaker?.key !== key) return;
  const beganAtMs = node.open[progress.speaker.path];
  node.count++;
  if (beganAtMs !== undefined) node.durationMs += Date.parse(at) - beganAtMs;
  closeTurn(progress);
}

function closeTurn(progress: GraphProgress): void {
  const { speaker } = progress;
  if (speaker === undefined) return;
  const node = progress.nodes[speaker.key];
  if (node !== undefined) delete node.open[speaker.path];
  progress.speaker = undefined;
}

/** Returns the node of an execution: of its own key, or of the key it repeats (`~2`). */
function nodeAt(progress: GraphProgress, path: string): NodeProgress | undefined {
  return progress.nodes[path] ?? progress.nodes[executionKey(path)];
}

function executionKey(path: string): string {
  return path.replaceAll(/~\d+(?=\/|$)/g, "");
}

/** Returns the nodes at a path and above it. */
function enclosing(progress: GraphProgress, path: string): NodeProgress[] {
  const found: NodeProgress[] = [];
  for (const each of pathsUpwards(path)) {
    const node = nodeAt(progress, each);
    if (node !== undefined) found.push(node);
  }
  return found;
}

function* pathsUpwards(path: string): Generator<string> {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) yield at;
}

/** GNS2. */
function addedNode(progress: GraphProgress, event: GraphEvent): NodeProgress {
  const { path, type, taskName, agentRole } = event;
  const key = executionKey(path);
  const isTask = type.startsWith("task_");
  const isMethod = type.startsWith("method_");
  const group = progress.groups.findLast(({ id }) => key.startsWith(`${id}/`));
  const label = isTask ? taskName : isMethod ? undefined : agentRole;
  progress.added.push({
    id: key,
    key,
    kind: isTask ? "task" : isMethod ? "method" : "agent",
    label: textOf(label) || key.slice(key.lastIndexOf(":") + 1),
    ...(isTask && textOf(agentRole) !== "" ? { sub: textOf(agentRole) } : undefined),
    ...(group === undefined ? undefined : { group: group.id }),
  });
  return (progress.nodes[key] = blankNode(false));
}

/** Returns the additions of the run to its graph: nodes, their groups, and the edges from their origins. */
export function addedToGraph(
  graph: Pick<Graph, "nodes">,
  { added, groups }: GraphProgress,
): { readonly nodes: GraphNode[]; readonly groups: GraphGroup[]; readonly edges: GraphEdge[] } {
  const keys = new Set([...graph.nodes, ...added].flatMap(({ key }) => key ?? []));
  const ids = new Map(graph.nodes.map(({ id, key }) => [key, id]));
  const edges = added.flatMap(({ id }): GraphEdge[] => {
    for (const path of pathsUpwards(id))
      if (path !== id && keys.has(path)) {
        const from = ids.get(path) ?? path;
        return [{ id: `${from} → ${id}`, from, to: id, kind: "delegates" }];
      }
    return [];
  });
  const used = new Set(added.flatMap(({ group }) => group ?? []));
  const unique = new Map(groups.filter(({ id }) => used.has(id)).map((group) => [group.id, group]));
  return { nodes: added, groups: [...unique.values()], edges };
}

/** Returns the state of a node; undefined for a node without states. With `nowMs`, running work counts up to then. */
function nodeState(
  progress: GraphProgress,
  { key, conditional }: Pick<GraphNode, "key" | "conditional">,
  nowMs?: number,
): NodeState | undefined {
  const node = key === undefined ? undefined : progress.nodes[key];
  if (node === undefined) return undefined;
  const { count, costUsd, waits, error } = node;
  const begun = Object.values(node.open);
  let { durationMs } = node;
  if (nowMs !== undefined && !hasEnded(progress))
    for (const atMs of begun) durationMs += Math.max(0, nowMs - atMs);
  const open = hasEnded(progress) ? [] : Object.keys(waits);
  return {
    state: stateOf(progress, node, conditional === true),
    count,
    durationMs,
    ...(costUsd === 0 ? undefined : { costUsd }),
    ...(open.length === 0 ? undefined : { waits: open }),
    ...(error === undefined || begun.length > 0 ? undefined : { error }),
  };
}

function stateOf(
  progress: GraphProgress,
  { count, open, waits, error }: NodeProgress,
  conditional: boolean,
): NodeState["state"] {
  const ended = hasEnded(progress);
  const kinds = Object.values(waits);
  if (Object.keys(open).length > 0) {
    if (ended) return "stopped";
    if (kinds.some((kind) => kind === "human" || kind === "input" || kind === "event"))
      return "waiting";
    return kinds.includes("timer") ? "sleeping" : "running";
  }
  if (error !== undefined) return "failed";
  if (count > 0) return "done";
  return conditional && progress.status === "completed" ? "skipped" : "idle";
}

/** Returns the number of times the run has taken an edge; undefined if it is unknown. */
function edgeCount(
  progress: GraphProgress,
  { kind, from, to }: Pick<GraphEdge, "kind" | "from" | "to">,
  nodes: ReadonlyMap<string, Pick<GraphNode, "key" | "label">>,
): number | undefined {
  const source = nodes.get(from);
  const target = nodes.get(to);
  if (source?.key === undefined) return undefined;
  if (kind === "routes")
    return progress.nodes[source.key]?.results?.[target?.label ?? ""] || undefined;
  if (kind !== "hands-off" || target?.key === undefined) return undefined;
  return progress.turns[JSON.stringify([source.key, target.key])];
}

/** Returns the graph of a run: nodes with their states, and the additions of the run, which have no place yet. */
export function graphOfRun(graph: Graph, progress: GraphProgress, nowMs?: number): Graph {
  const more = addedToGraph(graph, progress);
  const all = [...graph.nodes, ...more.nodes];
  const byId = new Map(all.map((node) => [node.id, node]));
  return {
    ...graph,
    groups: [...graph.groups, ...more.groups],
    nodes: all.map((node) => {
      const state = nodeState(progress, node, nowMs);
      return state === undefined ? node : { ...node, state };
    }),
    edges: [...graph.edges, ...more.edges].map((edge) => {
      const count = edgeCount(progress, edge, byId);
      return count === undefined ? edge : { ...edge, count };
    }),
  };
}

function hasEnded({ status }: GraphProgress): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

function costOf(usage: unknown): number {
  const { costUsd } = (usage ?? {}) as { readonly costUsd?: unknown };
  return typeof costUsd === "number" ? costUsd : 0;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
