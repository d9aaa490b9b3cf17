// Who speaks next in a group that goes by hand-overs.
//
//   HSL1. Target functions are called while the next speaker is found; where each leads is followed at once, at most 16 times in a row.
//   HSL2. A member who had nothing to say has spoken, as far as hand-overs are concerned: its after-work decides.
import { EngineError } from "../../../base/error.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { keySegment } from "../../../journal/step-key.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import { SELECTION_TEXTS, type SelectionTexts } from "../../auto-selection.ts";
import { applyChange, ContextVariables, type ContextChange } from "../../context-variables.ts";
import type { HandoffCause, SpeakerCause } from "../../events.ts";
import { functionTargetNotes, type MemberNote } from "../../handoff-messages.ts";
import { Handoffs } from "../../handoffs.ts";
import { contentText, type ConversationMessage } from "../../messages.ts";
import { nextSpeaker, type NextSpeaker } from "../../next-speaker.ts";
import {
  resolveTarget,
  targetLabel,
  terminateTarget,
  type TargetDecision,
  type TransitionTarget,
} from "../../targets.ts";
import { checkedFunctionResult } from "../function-result.ts";
import type { GroupRun, SpeakerDecision, SpeakerSelection } from "../group.ts";
import type { RecordedTarget } from "../recorded-target.ts";
import { askModel } from "./ask-model.ts";
import { askPersonForSpeaker } from "./ask-person.ts";

/** Why a conversation ends that hands over to nobody. */
export const HANDED_TO_NOBODY = "a hand-over ended the conversation";

/** How many target functions may follow one another. */
const MAX_FUNCTIONS = 16;

/** What a group that goes by hand-overs knows. */
export type HandoffSettings = {
  readonly initialAgent: string;
  readonly userAgent?: string | undefined;
  /** Whose model is asked where a model has to choose. */
  readonly chooser?: ConversableAgent | undefined;
  /** Whether it begins with somebody else than the initial agent, as a conversation that goes on does. */
  readonly isUnderWay?: boolean;
};

/** The selection of a group whose members hand over. */
export function handoffSelection(settings: HandoffSettings): (run: GroupRun) => SpeakerSelection {
  return (run) => new HandoffSelection(run, settings);
}

type Found = Exclude<NextSpeaker, { readonly cause: "tools" }>;

class HandoffSelection implements SpeakerSelection {
  readonly #run: GroupRun;
  readonly #settings: HandoffSettings;

  constructor(run: GroupRun, settings: HandoffSettings) {
    this.#run = run;
    this.#settings = settings;
  }

  async next(place: RunScope): Promise<SpeakerDecision> {
    const found = this.#found(place);
    if (found.cause === "tools") return { kind: "tools" };
    const handoff = this.#handoff(found);
    const followed = await this.#followed(place, found);
    const decision = await this.#decided(place, followed.decision, found);
    const { changes, notes } = followed;
    return {
      ...decision,
      ...(handoff === undefined ? undefined : { handoff }),
      ...(changes.length === 0 ? undefined : { changes }),
      ...(notes.length === 0 ? undefined : { notes }),
    };
  }

  #found(place: RunScope): NextSpeaker {
    const { group, talk, transcript, pending, rounds, silent } = this.#run;
    const { initialAgent, userAgent, isUnderWay = false } = this.#settings;
    const name = [...silent].at(-1);
    const messages: readonly ConversationMessage[] =
      name === undefined ? transcript : [...transcript, { role: "assistant", content: "", name }];
    return nextSpeaker({
      messages,
      isFirst: rounds === 1 && !isUnderWay,
      initialAgent,
      members: group.members.map(({ name }) => name),
      handoffsOf: (name) => group.handoffs?.get(name) ?? new Handoffs(),
      variables: talk.variables(group.manager).toObject(),
      groupAfterWork: group.afterWork ?? terminateTarget(),
      random: () => place.random(),
      ...(userAgent === undefined ? undefined : { userAgent }),
      ...(pending === undefined ? undefined : { pendingTarget: pending }),
    });
  }

  #handoff({ cause, source, target }: Found): SpeakerDecision["handoff"] {
    if (target === undefined) return undefined;
    const named: Partial<Record<NextSpeaker["cause"], HandoffCause>> = {
      pending: "tool",
      forced: "function",
      afterWork: "after_work",
      groupAfterWork: "group_after_work",
    };
    const why = named[cause];
    return why === undefined ? undefined : { cause: why, source, target: targetLabel(target) };
  }

  /** Calls target functions until one leads to something else. */
  async #followed(
    place: RunScope,
    { decision: first, source }: Found,
  ): Promise<{
    readonly decision: TargetDecision;
    readonly changes: readonly ContextChange[];
    readonly notes: readonly MemberNote[];
  }> {
    const changes: ContextChange[] = [];
    const notes: MemberNote[] = [];
    let decision = first;
    for (let count = 1; decision.kind === "run" && decision.target.kind === "function"; count++) {
      if (count > MAX_FUNCTIONS)
        throw new EngineError(
          "invalid_input",
          `more than ${MAX_FUNCTIONS} target functions lead to one another: one of them has to lead to an agent`,
        );
      const { target } = decision;
      // oxlint-disable-next-line no-await-in-loop -- each leads to the next
      const result = await this.#called(place.at(`function:${count}`), target, changes);
      changes.push(...result.changes);
      notes.push(...result.notes);
      decision = this.#resolved(place, this.#run.targets.target(result.target), source);
    }
    return { decision, changes, notes };
  }

  #called(
    place: RunScope,
    { run, extraArguments }: Extract<TransitionTarget, { kind: "function" }>,
    earlier: readonly ContextChange[],
  ): Promise<{
    readonly target: RecordedTarget;
    readonly changes: readonly ContextChange[];
    readonly notes: readonly MemberNote[];
  }> {
    const { group, talk, transcript, targets, lastSpeaker } = this.#run;
    const { userAgent } = this.#settings;
    return place.callOnce(
      async () => {
        const changes: ContextChange[] = [];
        const before = new ContextVariables(talk.variables(group.manager).toObject());
        for (const change of earlier) applyChange(before, change);
        const variables = new ContextVariables(before.toObject(), {
          onChange: (change) => void changes.push(change),
        });
        const last = contentText(transcript.at(-1)?.content);
        const result = checkedFunctionResult(await run(last, variables, extraArguments));
        if (result.contextVariables !== undefined) variables.update(result.contextVariables);
        const notes = functionTargetNotes(result, {
          functionName: run.name === "" ? "function" : run.name,
          currentAgent: lastSpeaker,
          ...(userAgent === undefined ? undefined : { userAgent }),
        });
        return { target: targets.record(result.target), changes, notes };
      },
      { label: run.name },
    );
  }

  #resolved(place: RunScope, target: TransitionTarget, currentAgent: string): TargetDecision {
    const members = this.#run.group.members.map(({ name }) => name);
    const { userAgent } = this.#settings;
    return resolveTarget(target, { currentAgent, members, userAgent, random: () => place.random() });
  }

  async #decided(
    place: RunScope,
    decision: TargetDecision,
    { cause }: Found,
  ): Promise<SpeakerDecision> {
    switch (decision.kind) {
      case "agent":
        return { kind: "speaker", name: decision.name, cause: CAUSES[cause] };
      case "end":
        return { kind: "end", reason: HANDED_TO_NOBODY };
      case "run":
        return { kind: "run", target: decision.target, owner: decision.owner };
      default:
        return decision.method === "manual"
          ? this.#byPerson(place)
          : this.#byModel(place, decision.selectionMessage);
    }
  }

  async #byPerson(place: RunScope): Promise<SpeakerDecision> {
    const { group, silent } = this.#run;
    const { userAgent } = this.#settings;
    const asked = group.members.find(({ name }) => name === userAgent) ?? group.manager;
    const candidates = group.members.map(({ name }) => name).filter((name) => !silent.has(name));
    const { name } = await askPersonForSpeaker(this.#run, place, { asked, candidates });
    return { kind: "speaker", name, cause: "person" };
  }

  async #byModel(place: RunScope, message: string | undefined): Promise<SpeakerDecision> {
    const { group, talk, silent } = this.#run;
    const { chooser = group.manager } = this.#settings;
    const candidates = group.members.filter(({ name }) => !silent.has(name));
    const variables = talk.variables(group.manager).toObject();
    const [only] = candidates;
    if (only === undefined) return { kind: "end", reason: "no next speaker selected" };
    const { name, isFallback, usage } = await askModel(this.#run, place, {
      asked: chooser,
      candidates,
      variables,
      ...(message === undefined ? undefined : { texts: textsWith(message) }),
    });
    return { kind: "speaker", name, cause: isFallback ? "fallback" : "model", usage };
  }
}

function textsWith(message: string): SelectionTexts {
  return { ...SELECTION_TEXTS, instructions: message };
}

const CAUSES: Readonly<Record<NextSpeaker["cause"], SpeakerCause>> = {
  initial: "initial",
  tools: "tools",
  pending: "handoff",
  forced: "handoff",
  toolResult: "tool_result",
  beforeUser: "before_user",
  afterWork: "after_work",
  groupAfterWork: "after_work",
};
