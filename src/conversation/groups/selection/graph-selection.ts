// Speaker selection of a group with a transition graph.
//
//   GSL1. A turn ends with a text, or with a call that a transition waits for. Other calls are executed, and their
//         member continues.
//   GSL2. Requests of tools come before the graph: a next speaker, or the end. The graph sees the variables of the
//         turn.
import type { RunScope } from "../../../events/run-scope.ts";
import { routingTool, type TransitionGraph } from "../../targets/transition-graph.ts";
import {
  foldWorkflow,
  openWorkflow,
  type PacketRouting,
  type WorkflowState,
} from "../../workflow-state.ts";
import type { GroupRun, SpeakerDecision, SpeakerSelection } from "../group.ts";
import type { RoundResult } from "../round-result.ts";

/** Makes the selection of a group with a graph. `initiator` is the agent meant by its target `revert_to_initiator`. */
export function graphSelection(
  graph: TransitionGraph,
  initiator: string,
): (run: GroupRun) => SpeakerSelection {
  return (run) => new GraphSelection(run, graph, initiator);
}

class GraphSelection implements SpeakerSelection {
  readonly #run: GroupRun;
  #state: WorkflowState;
  /** Call in the current turn that a transition waits for. */
  #routing: string | undefined;

  constructor(run: GroupRun, graph: TransitionGraph, initiator: string) {
    this.#run = run;
    const participants = run.group.members.map(({ name }) => name);
    this.#state = openWorkflow({ graph, participants, initiator });
  }

  next(_place: RunScope): Promise<SpeakerDecision> {
    return Promise.resolve(this.#decision());
  }

  follow({ speaker, message }: RoundResult): void {
    const calls = message?.toolCalls?.map(({ name }) => name) ?? [];
    if (calls.length > 0) {
      this.#routing = routingTool(this.#state.graph, calls);
      return;
    }
    const routing = message?.role === "tool" ? this.#afterTools() : ({ kind: "text" } as const);
    if (routing === undefined) return;
    this.#routing = undefined;
    const { talk, group } = this.#run;
    const context = talk.variables(group.manager).toObject();
    const sender = this.#state.expectedSpeaker ?? speaker ?? "";
    this.#state = foldWorkflow({ ...this.#state, context }, { kind: "packet", sender, routing });
  }

  #decision(): SpeakerDecision {
    const { transcript } = this.#run;
    const { expectedSpeaker, closedBecause = "workflow_terminated" } = this.#state;
    if (this.#run.rounds > 1 && (transcript.at(-1)?.toolCalls?.length ?? 0) > 0)
      return { kind: "tools" };
    return expectedSpeaker === undefined
      ? { kind: "end", reason: closedBecause }
      : { kind: "speaker", name: expectedSpeaker, cause: "graph" };
  }

  /** Returns the target after the results of calls; undefined for the calling member. */
  #afterTools(): PacketRouting | undefined {
    const { pending } = this.#run;
    const tool = this.#routing;
    if (pending?.kind === "terminate") return { kind: "finish", reason: "tool" };
    if (pending?.kind === "agent") {
      const { name: target } = pending;
      return { kind: "handoff", target, ...(tool === undefined ? undefined : { tool }) };
    }
    return tool === undefined ? undefined : { kind: "text", tool };
  }
}
