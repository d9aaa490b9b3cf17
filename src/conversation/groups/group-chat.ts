import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { ModelSpec } from "../../llm/resolve-model.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Member } from "../agents/conversation-member.ts";
import { SELECTION_TEXTS, type SelectionTexts } from "../auto-selection.ts";
import type { TransformMessages } from "../capabilities/transform-messages.ts";
import type { Compat } from "../compat.ts";
import {
  selectionMethod,
  type EligibilityPolicy,
  type SelectionMethod,
} from "../speaker-candidates.ts";
import { speakerTransitions, type Transitions } from "../targets/transitions.ts";
import type { SelectionFunction } from "./selection/classic-selection.ts";

/** Options of a group chat. Only `agents` is required. */
export type GroupChatOptions = {
  /** At least two, with different names. */
  readonly agents: readonly Member[];
  /** Earlier messages: the group continues from there. @default [] */
  readonly messages?: readonly unknown[];
  /** Maximum number of messages, including the opening one. An integer >= 1. @default 10 */
  readonly maxRound?: number;
  /** Name of the agent that speaks for the group in messages. @default "Admin" */
  readonly adminName?: string;
  /** True if a call goes to members with its function. @default true */
  readonly funcCallFilter?: boolean;
  /**
   * Choice of the next speaker: `auto`, `manual`, `random` or `round_robin` in any case, or a function. @default "auto"
   */
  readonly speakerSelectionMethod?: string | SelectionFunction;
  /** Number of retries of a model. An integer >= 0. @default 2 */
  readonly maxRetriesForSelectingSpeaker?: number;
  /** True if a member may speak twice in a row; or a list of such members. @default true, without transitions */
  readonly allowRepeatSpeaker?: boolean | ReadonlyArray<string | ConversableAgent>;
  /** Allowed or disallowed successors of each member, by name. */
  readonly allowedOrDisallowedSpeakerTransitions?: Readonly<
    Record<string, ReadonlyArray<string | ConversableAgent>>
  >;
  readonly speakerTransitionsType?: "allowed" | "disallowed";
  /** Lets members clear histories with CLEAR HISTORY. @default false */
  readonly enableClearHistory?: boolean;
  /** Introduces all members to each other first. @default false */
  readonly sendIntroductions?: boolean;
  /** Instructions of the selecting model; `{roles}` and `{agentlist}` are filled in. Not empty. */
  readonly selectSpeakerMessageTemplate?: string;
  /** Question of the selecting model; if empty, the last message is the question. `{agentlist}` is filled in. */
  readonly selectSpeakerPromptTemplate?: string;
  /** Text for the model after an answer with several names. */
  readonly selectSpeakerAutoMultipleTemplate?: string;
  /** Text for the model after an answer without a name. */
  readonly selectSpeakerAutoNoneTemplate?: string;
  /** Transforms of a long history for the model. @default the whole history */
  readonly selectSpeakerTransformMessages?: TransformMessages;
  /** Emits an event for each of its answers. @default false */
  readonly selectSpeakerAutoVerbose?: boolean;
  /** The selecting model. @default the manager's */
  readonly selectSpeakerAutoLlm?: ModelSpec;
  /** The role of its question. @default "system" */
  readonly roleForSelectSpeakerMessages?: "system" | "user" | "assistant";
  /** Policies that must all allow a speaker. @default [] */
  readonly eligibilityPolicies?: readonly EligibilityPolicy[];
  /** "ag2-0.14": AG2 0.14's behaviour, where it differs. */
  readonly compat?: Compat;
};

const OPTIONS = definitionOptions<GroupChatOptions>(
  "new GroupChat()",
  {
    agents: true,
    messages: true,
    maxRound: true,
    adminName: true,
    funcCallFilter: true,
    speakerSelectionMethod: true,
    maxRetriesForSelectingSpeaker: true,
    allowRepeatSpeaker: true,
    allowedOrDisallowedSpeakerTransitions: true,
    speakerTransitionsType: true,
    enableClearHistory: true,
    sendIntroductions: true,
    selectSpeakerMessageTemplate: true,
    selectSpeakerPromptTemplate: true,
    selectSpeakerAutoMultipleTemplate: true,
    selectSpeakerAutoNoneTemplate: true,
    selectSpeakerTransformMessages: true,
    selectSpeakerAutoVerbose: true,
    selectSpeakerAutoLlm: true,
    roleForSelectSpeakerMessages: true,
    eligibilityPolicies: true,
    compat: true,
  },
  {
    maxRounds: "write maxRound",
    selectSpeakerAutoLlmConfig: "write selectSpeakerAutoLlm",
    selectSpeakerAutoModelClientCls: "write selectSpeakerAutoLlm, a LanguageModel",
  },
);

/** Members, and the selection of their next speaker. A value: a `GroupChatManager` runs it. */
export class GroupChat {
  readonly options: GroupChatOptions;
  readonly agents: readonly ConversableAgent[];
  readonly maxRound: number;
  readonly method: SelectionMethod | SelectionFunction;
  readonly maxRetries: number;
  readonly transitions: Transitions;
  readonly allowRepeatSpeaker: boolean | readonly string[] | undefined;
  readonly selectionTexts: SelectionTexts;

  /** Throws `invalid_definition`, naming the invalid field. */
  constructor(options: GroupChatOptions) {
    refuseUnknownOptions(options, OPTIONS, new.target !== GroupChat);
    const {
      agents,
      maxRound = 10,
      speakerSelectionMethod: method = "auto",
      maxRetriesForSelectingSpeaker: retries = 2,
      allowRepeatSpeaker: repeat,
      allowedOrDisallowedSpeakerTransitions: transitions,
      speakerTransitionsType: type,
    } = options;
    this.options = options;
    if (!Array.isArray(agents))
      throw invalidDefinition(`a group chat needs a list of agents, got ${preview(agents)}`);
    this.agents = agents.map((each) => ConversableAgent.of(each));
    this.maxRound = integer("maxRound", maxRound, 1);
    this.method = typeof method === "function" ? method : selectionMethod(method);
    this.maxRetries = integer("maxRetriesForSelectingSpeaker", retries, 0);
    this.allowRepeatSpeaker = Array.isArray(repeat)
      ? repeat.map(nameOf)
      : (repeat as boolean | undefined);
    this.transitions = speakerTransitions({
      agents: this.agents.map(({ name }) => name),
      ...(this.allowRepeatSpeaker === undefined
        ? undefined
        : { allowRepeatSpeaker: this.allowRepeatSpeaker }),
      ...(transitions === undefined ? undefined : { transitions: namesIn(transitions) }),
      ...(type === undefined ? undefined : { transitionsType: type }),
    });
    this.selectionTexts = texts(options);
  }

  /** The members' names, in their order. */
  get agentNames(): readonly string[] {
    return this.agents.map(({ name }) => name);
  }

  /** Warnings about the transitions: an unreachable member, a duplicate name. */
  get warnings(): readonly string[] {
    return this.transitions.warnings;
  }
}

function texts(options: GroupChatOptions): SelectionTexts {
  const {
    selectSpeakerMessageTemplate: instructions = SELECTION_TEXTS.instructions,
    selectSpeakerPromptTemplate: question = SELECTION_TEXTS.question,
    selectSpeakerAutoMultipleTemplate: severalNames = SELECTION_TEXTS.severalNames,
    selectSpeakerAutoNoneTemplate: noName = SELECTION_TEXTS.noName,
    roleForSelectSpeakerMessages: role,
  } = options;
  if (instructions === "")
    throw invalidDefinition("selectSpeakerMessageTemplate must not be empty");
  if ((role as string | undefined) === "")
    throw invalidDefinition("roleForSelectSpeakerMessages must not be empty");
  return { instructions, question: question === "" ? null : question, severalNames, noName };
}

/** A value other than a list stays unchanged; a later check refuses it. */
function namesIn(transitions: object): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(transitions).map(([name, list]) => [
      name,
      Array.isArray(list) ? list.map(nameOf) : list,
    ]),
  );
}

function nameOf(agent: unknown): string {
  if (typeof agent === "string") return agent;
  const name = (agent as { readonly name?: unknown } | null)?.name;
  if (typeof name === "string") return name;
  throw invalidDefinition(`expected a member or its name, got ${preview(agent)}`);
}

function integer(field: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw invalidDefinition(`${field} must be an integer >= ${least}, got ${preview(value)}`);
}
