// Speaker selection of a group chat: by order, at random, by a model, by a person, or by a function.
//
//   CLS1. A user-defined function (a selection function, an eligibility policy) is called once per round, and its
//         answer recorded.
import { userCode } from "../../../base/user-code.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import type { SelectionTexts } from "../../auto-selection.ts";
import type { Compat } from "../../compat.ts";
import type { SpeakerCause } from "../../events.ts";
import {
  chooseSpeaker,
  readSelection,
  NO_NEXT_SPEAKER,
  type EligibilityPolicy,
  type SelectionMethod,
  type SelectionState,
  type SpeakerChoice,
} from "../../speaker-candidates.ts";
import type { MessageTransform } from "../../transforms.ts";
import type { Transitions } from "../../targets/transitions.ts";
import type { ConversationMessage } from "../../messages.ts";
import type { GroupRun, SpeakerDecision, SpeakerSelection } from "../group.ts";
import { askModel } from "./ask-model.ts";
import { askPersonForSpeaker } from "./ask-person.ts";

/** Arguments of a selection function. */
export type SelectionAbout = {
  readonly lastSpeaker: string;
  readonly members: readonly string[];
  readonly messages: readonly ConversationMessage[];
};

/** Chooses a member, as an agent or by `{ name }`, or a method for this round. Without a choice the chat ends. */
export type SelectionFunction = (about: SelectionAbout) => unknown;

/** Settings of a group chat's speaker selection. */
export type ClassicSettings = {
  readonly method: SelectionMethod | SelectionFunction;
  readonly transitions: Transitions;
  readonly allowRepeatSpeaker?: boolean | readonly string[] | undefined;
  readonly filtersByFunction: boolean;
  readonly policies: readonly EligibilityPolicy[];
  /** The agent whose model is asked. */
  readonly chooser: ConversableAgent;
  readonly maxRetries: number;
  readonly texts?: SelectionTexts | undefined;
  readonly role: "system" | "user" | "assistant";
  readonly isVerbose: boolean;
  /** Changes the history for the model. */
  readonly transform?: MessageTransform | undefined;
  readonly compat?: Compat | undefined;
};

/** Makes the selection of a group chat. */
export function classicSelection(settings: ClassicSettings): (run: GroupRun) => SpeakerSelection {
  return (run) => ({ next: (place) => choose(run, place, settings) });
}

async function choose(
  run: GroupRun,
  place: RunScope,
  settings: ClassicSettings,
): Promise<SpeakerDecision> {
  const { method } = settings;
  if (typeof method !== "function") return byMethod(run, place, { settings, method });
  const { group, lastSpeaker, transcript } = run;
  const members = group.members.map(({ name }) => name);
  const selected = await place.at("select").callOnce(async () => {
    const messages = Object.freeze([...transcript]);
    const about = { lastSpeaker, members: Object.freeze([...members]), messages };
    const answer = await userCode(
      "the speakerSelectionMethod of a group chat",
      () => method(about),
      "it only chooses: to put a message into the group, choose a member whose registerReply() function says it",
    );
    return readSelection(answer, members);
  });
  if (selected.kind === "method")
    return byMethod(run, place, { settings, method: selected.method });
  return selected.kind === "chosen"
    ? { kind: "speaker", name: selected.name, cause: "function" }
    : ended();
}

async function byMethod(
  run: GroupRun,
  place: RunScope,
  { settings, method }: { readonly settings: ClassicSettings; readonly method: SelectionMethod },
): Promise<SpeakerDecision> {
  const choice = await chosen(
    place,
    stateOf(run, place, { settings, method }),
    settings.policies.length > 0,
  );
  if (choice.kind === "ended") return ended();
  if (choice.kind === "chosen")
    return { kind: "speaker", name: choice.name, cause: causeOf(method) };
  const { candidates } = choice;
  const { chooser: asked } = settings;
  if (choice.method === "manual") {
    const { name } = await askPersonForSpeaker(run, place, {
      asked: run.group.manager,
      candidates,
    });
    return { kind: "speaker", name, cause: "person" };
  }
  const members = run.group.members.filter(({ name }) => candidates.includes(name));
  const { name, isFallback, ...rest } = await askModel(run, place, {
    ...settings,
    asked,
    candidates: members,
  });
  return { kind: "speaker", name, cause: isFallback ? "fallback" : "model", ...rest };
}

/** Policies are user-defined functions: their answers are recorded. */
async function chosen(
  place: RunScope,
  state: SelectionState,
  hasPolicies: boolean,
): Promise<SpeakerChoice> {
  return hasPolicies
    ? place.at("eligible").callOnce(() => chooseSpeaker(state))
    : chooseSpeaker(state);
}

function stateOf(
  { group, transcript, lastSpeaker, silent }: GroupRun,
  place: RunScope,
  { settings, method }: { readonly settings: ClassicSettings; readonly method: SelectionMethod },
): SelectionState {
  const { transitions, allowRepeatSpeaker, filtersByFunction, policies, compat } = settings;
  const byName = new Map(group.members.map((member) => [member.name, member]));
  const isSpeaking: EligibilityPolicy = (name) => !silent.has(name);
  return {
    agents: [...byName.keys()],
    method,
    lastSpeaker,
    messages: transcript,
    transitions,
    random: () => place.random(),
    policies: silent.size === 0 ? policies : [...policies, isSpeaking],
    ...(filtersByFunction ? { functionsOf: (name) => functionsOf(byName.get(name)) } : undefined),
    ...(allowRepeatSpeaker === undefined ? undefined : { allowRepeatSpeaker }),
    ...(compat === undefined ? undefined : { compat }),
  };
}

function functionsOf(member: ConversableAgent | undefined): readonly string[] {
  return (member?.executedTools ?? []).flatMap(({ name, safeName }) => [name, safeName]);
}

function causeOf(method: SelectionMethod): SpeakerCause {
  return method === "auto" || method === "manual" ? "only_candidate" : method;
}

function ended(): SpeakerDecision {
  return { kind: "end", reason: NO_NEXT_SPEAKER };
}
