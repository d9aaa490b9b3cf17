// Order of turns in a channel: a fold over its rounds.
import type { RunScope } from "../../events/run-scope.ts";
import type { GroupRun, SpeakerDecision } from "../groups/group.ts";
import type { RoundResult } from "../groups/round-result.ts";
import { graphSelection } from "../groups/selection/graph-selection.ts";
import type { TransitionGraph } from "../targets/transition-graph.ts";
import { foldChannel, openChannel, type ChannelEvent, type ChannelState } from "./channel.ts";
import type { ChannelKind } from "./network-rules.ts";

/** Finds the next speaker of a channel. */
export interface TurnOrder {
  /** `idle`: the possible speakers have no reply to the last message. */
  next(
    place: RunScope,
  ): Promise<SpeakerDecision | { readonly kind: "idle"; readonly reason: string }>;
  /** Applies an ended round; `atMs` is the time of its end. */
  follow(round: RoundResult, atMs: number): void;
  /** Hides a member from now on. */
  hide(name: string, atMs: number): void;
}

/** A channel after its first message, ready for its turns. */
export type OpenedChannel = {
  readonly kind: ChannelKind;
  readonly initiator: string;
  readonly participants: readonly string[];
  readonly graph?: TransitionGraph | undefined;
  readonly openedAtMs: number;
};

export function turnOrder(run: GroupRun, channel: OpenedChannel): TurnOrder {
  return channel.graph === undefined
    ? new StateOrder(run, channel)
    : new GraphOrder(run, channel, channel.graph);
}

/** Order of the kinds without a graph. */
class StateOrder implements TurnOrder {
  readonly #run: GroupRun;
  #state: ChannelState;

  constructor(run: GroupRun, { kind, initiator, participants, openedAtMs: atMs }: OpenedChannel) {
    this.#run = run;
    const turnKind = kind === "workflow" ? "discussion" : kind;
    this.#state = openChannel({ kind: turnKind, initiator, participants, atMs });
    for (const sender of participants) this.#fold({ kind: "ack", sender, atMs });
    this.#fold({ kind: "text", sender: initiator, atMs });
  }

  next(): ReturnType<TurnOrder["next"]> {
    const { status, closedBecause = status, turnOf, participants } = this.#state;
    const { silent, lastSpeaker, transcript } = this.#run;
    if (status !== "active") return Promise.resolve({ kind: "end", reason: closedBecause });
    if (isCalling(this.#run)) return Promise.resolve({ kind: "tools" });
    const isAfterCalls = transcript.at(-1)?.role === "tool";
    const anybody = isAfterCalls ? [lastSpeaker, ...participants] : participants;
    const candidates = turnOf === undefined ? anybody : [turnOf];
    const name = candidates.find(
      (each) => (each !== lastSpeaker || isAfterCalls) && !silent.has(each),
    );
    if (name === undefined) return Promise.resolve({ kind: "idle", reason: NOTHING_TO_SAY });
    return Promise.resolve({ kind: "speaker", name, cause: "round_robin" });
  }

  follow({ speaker, message }: RoundResult, atMs: number): void {
    const { status, participants, turnOf = speaker } = this.#state;
    if (status !== "active" || speaker === undefined || !participants.includes(speaker)) return;
    if (message === undefined) this.#fold({ kind: "pass", participant: speaker, atMs });
    // A member called by a watch speaks out of turn.
    else if (!isCall(message) && turnOf === speaker)
      this.#fold({ kind: "text", sender: speaker, atMs });
  }

  hide(participant: string, atMs: number): void {
    if (this.#state.status === "active") this.#fold({ kind: "hide", participant, atMs });
  }

  #fold(event: ChannelEvent): void {
    this.#state = foldChannel(this.#state, event);
  }
}

/** Order of a workflow. A hidden member's turn passes on as the graph defines for its turns. */
class GraphOrder implements TurnOrder {
  readonly #run: GroupRun;
  readonly #graph: ReturnType<ReturnType<typeof graphSelection>>;
  readonly #participants: readonly string[];
  readonly #hidden = new Set<string>();

  constructor(run: GroupRun, { initiator, participants }: OpenedChannel, graph: TransitionGraph) {
    this.#run = run;
    this.#graph = graphSelection(graph, initiator)(run);
    this.#participants = participants;
    // The opening message is the first turn of the graph if the initiator is the first speaker.
    if (graph.initialSpeaker === initiator) this.#pass(initiator);
  }

  async next(place: RunScope): ReturnType<TurnOrder["next"]> {
    if (this.#participants.length - this.#hidden.size < 2)
      return { kind: "end", reason: "nobody is left" };
    let decision = await this.#graph.next(place);
    for (let passed = 0; decision.kind === "speaker" && this.#hidden.has(decision.name); passed++) {
      if (passed > this.#participants.length) return { kind: "end", reason: "nobody is left" };
      this.#pass(decision.name);
      decision = await this.#graph.next(place);
    }
    return decision.kind === "speaker" && this.#run.silent.has(decision.name)
      ? { kind: "idle", reason: NOTHING_TO_SAY }
      : decision;
  }

  follow(round: RoundResult): void {
    if (round.speaker !== undefined && !this.#hidden.has(round.speaker))
      this.#graph.follow?.(round);
  }

  hide(name: string): void {
    this.#hidden.add(name);
  }

  #pass(speaker: string): void {
    const message = { role: "assistant", content: "", name: speaker } as const;
    this.#graph.follow?.({ speaker, message, changes: [], usage: {} });
  }
}

/** Reason for the end of a channel without a reply to the last message. */
const NOTHING_TO_SAY = "nobody has more to say";

function isCall({ toolCalls = [], functionCall }: NonNullable<RoundResult["message"]>): boolean {
  return toolCalls.length > 0 || functionCall !== undefined;
}

/** True if the last message has unexecuted calls. Calls of an opening message are not executed. */
function isCalling({ transcript, rounds }: GroupRun): boolean {
  const last = transcript.at(-1);
  return rounds > 1 && last !== undefined && (last.toolCalls?.length ?? 0) > 0;
}
