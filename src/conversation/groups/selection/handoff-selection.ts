// Speaker selection of a group with hand-overs.
//
//   HSL1. A member without a reply counts as having spoken: its after-work decides.
import type { RunScope } from "../../../events/run-scope.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import { SELECTION_TEXTS, type SelectionTexts } from "../../auto-selection.ts";
import type { HandoffCause, SpeakerCause } from "../../events.ts";
import { Handoffs } from "../../targets/handoffs.ts";
import type { ConversationMessage } from "../../messages.ts";
import { nextSpeaker, type NextSpeaker } from "../../next-speaker.ts";
import { targetLabel, terminateTarget } from "../../targets/targets.ts";
import type { GroupRun, SpeakerDecision, SpeakerSelection } from "../group.ts";
import { askModel } from "./ask-model.ts";
import { askPersonForSpeaker } from "./ask-person.ts";

/** Reason for the end of a conversation by a hand-over. */
const HANDED_TO_NOBODY = "a hand-over ended the conversation";

/** Settings of a group with hand-overs. */
export type HandoffSettings = {
  readonly initialAgent: string;
  readonly userAgent?: string | undefined;
  /** The agent whose model chooses, if a model is needed. */
  readonly chooser?: ConversableAgent | undefined;
  /** True if another agent than the initial one may begin, as in a continued conversation. */
  readonly isUnderWay?: boolean;
};

/** Makes the selection of a group with hand-overs. */
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
    const decision = await this.#decided(place, found);
    return handoff === undefined ? decision : { ...decision, handoff };
  }

  #found(place: RunScope): NextSpeaker {
    const { group, talk, transcript, pending, rounds, silent } = this.#run;
    const { initialAgent, userAgent, isUnderWay = false } = this.#settings;
    const passed = [...silent].at(-1);
    const messages: readonly ConversationMessage[] =
      passed === undefined
        ? transcript
        : [...transcript, { role: "assistant", content: "", name: passed }];
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
      forced: "function",
      afterWork: "after_work",
      groupAfterWork: "group_after_work",
    };
    const why = named[cause];
    return why === undefined ? undefined : { cause: why, source, target: targetLabel(target) };
  }

  async #decided(place: RunScope, { decision, cause }: Found): Promise<SpeakerDecision> {
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
