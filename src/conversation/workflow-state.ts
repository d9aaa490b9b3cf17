// State of a conversation with a transition graph: a fold over its participants' messages.
//
//   WFS1. Only the participant of the current turn may send texts and packets; every participant may set context. A
//         refused message changes nothing.
//   WFS2. A packet's context updates come first (removals, then settings), then the end, then an explicit hand-over,
//         then the graph.
import { EngineError } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import {
  GRAPH_REGISTRY,
  nextTurn,
  type GraphRegistry,
  type TransitionGraph,
  type TurnDecision,
} from "./targets/transition-graph.ts";

/** A change of the context: removals, then settings. */
export type ContextUpdate = {
  readonly removed?: readonly string[];
  readonly set?: JsonObject;
};

/** Routing of a packet. */
export type PacketRouting =
  | { readonly kind: "text"; readonly tool?: string }
  | {
      readonly kind: "handoff";
      readonly target?: string;
      readonly tool?: string;
      readonly reason?: string;
    }
  | { readonly kind: "finish"; readonly reason: string; readonly summary?: string };

/** A participant's message to a workflow. */
export type WorkflowMessage =
  | { readonly kind: "text"; readonly sender: string }
  | {
      readonly kind: "packet";
      readonly sender: string;
      readonly routing: PacketRouting;
      readonly context?: ContextUpdate;
    }
  | { readonly kind: "context"; readonly sender: string; readonly context: ContextUpdate };

/** State of a workflow. */
export type WorkflowState = {
  readonly graph: TransitionGraph;
  readonly participants: readonly string[];
  readonly initiator: string;
  readonly context: JsonObject;
  readonly turnCount: number;
  /** Undefined after the end. */
  readonly expectedSpeaker?: string;
  readonly closedBecause?: string;
};

/** Makes a workflow before its first turn. */
export function openWorkflow({
  graph,
  participants,
  initiator,
  context = {},
}: Pick<WorkflowState, "graph" | "participants" | "initiator"> & {
  readonly context?: JsonObject;
}): WorkflowState {
  const expectedSpeaker = graph.initialSpeaker;
  return { graph, participants, initiator, context, turnCount: 0, expectedSpeaker };
}

/**
 * Returns the state after a message. Throws `conflict` for a message out of turn or to a closed workflow, `forbidden`
 * for another sender.
 */
export function foldWorkflow(
  state: WorkflowState,
  message: WorkflowMessage,
  registry: GraphRegistry = GRAPH_REGISTRY,
): WorkflowState {
  checkSender(state, message);
  if (message.kind === "context")
    return { ...state, context: updatedContext(state.context, message.context) };
  const update = message.kind === "packet" ? message.context : undefined;
  const context = updatedContext(state.context, update);
  const turnCount = state.turnCount + 1;
  const decision = decide({ ...state, context, turnCount }, message, registry);
  const { expectedSpeaker: _, ...rest } = state;
  const after = { ...rest, context, turnCount };
  if (decision.kind === "end") return { ...after, closedBecause: decision.reason };
  const { maxTurns = Infinity } = state.graph;
  return turnCount >= maxTurns
    ? { ...after, closedBecause: "max_turns" }
    : { ...after, expectedSpeaker: decision.name };
}

/** Returns a context with the changes of an update. */
function updatedContext(context: JsonObject, update: ContextUpdate = {}): JsonObject {
  const { removed = [], set = {} } = update;
  const kept = Object.entries(context).filter(([name]) => !removed.includes(name));
  return Object.fromEntries([...kept, ...Object.entries(set)]);
}

function decide(
  state: WorkflowState,
  message: Exclude<WorkflowMessage, { kind: "context" }>,
  registry: GraphRegistry,
): TurnDecision {
  const { participants, initiator, context, turnCount } = state;
  const routing: PacketRouting = message.kind === "packet" ? message.routing : { kind: "text" };
  if (routing.kind === "finish") return { kind: "end", reason: routing.reason };
  if (routing.kind === "handoff" && routing.target !== undefined) {
    if (participants.includes(routing.target)) return { kind: "speaker", name: routing.target };
    throw new EngineError(
      "conflict",
      `"${message.sender}" hands over to "${routing.target}", who is no participant; there are: ${participants.join(", ")}`,
    );
  }
  const { sender: speaker } = message;
  const { tool } = routing;
  const turn = { speaker, participants, initiator, context, turnCount };
  return nextTurn(state.graph, tool === undefined ? turn : { ...turn, tool }, registry);
}

function checkSender(state: WorkflowState, { sender, kind }: WorkflowMessage): void {
  if (!state.participants.includes(sender))
    throw new EngineError("forbidden", `"${sender}" is no participant of this workflow`);
  if (state.closedBecause !== undefined)
    throw new EngineError("conflict", `this workflow is closed: ${state.closedBecause}`);
  if (kind !== "context" && sender !== state.expectedSpeaker)
    throw new EngineError(
      "conflict",
      `it is the turn of "${state.expectedSpeaker}", got a ${kind} from "${sender}"`,
    );
}
