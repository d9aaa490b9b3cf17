// Patterns of groups with hand-overs: the continuation without a matching hand-over.
//
//   PTN1. A pattern is a value. It is prepared when a conversation begins, so hand-overs can be added until then.
//   PTN2. All members share the pattern's variables; each conversation has a copy of its own.
import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { EngineError } from "../../base/error.ts";
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { jsonText, preview } from "../../base/json.ts";
import type { RunScope } from "../../events/run-scope.ts";
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { Talk } from "../chats/talk.ts";
import { variablesOf } from "../context-variables.ts";
import { withPattern, type PatternKind } from "../group-patterns.ts";
import { checkHandoffs } from "../targets/handoffs.ts";
import {
  checkTarget,
  groupManagerTarget,
  namedMembers,
  terminateTarget,
  type TransitionTarget,
} from "../targets/targets.ts";
import { speakerTransitions } from "../targets/transitions.ts";
import type { TransitionGraph } from "../targets/transition-graph.ts";
import type { GroupChatResult } from "./group-chat-result.ts";
import type { Group } from "./group.ts";
import type { InnerConversation } from "./inner-conversation.ts";
import { introduction } from "./introduction.ts";
import type { PatternOptions } from "./pattern-options.ts";
import type { PreparedPattern } from "./prepared-pattern.ts";
import { runPattern } from "./run-pattern.ts";
import { graphSelection } from "./selection/graph-selection.ts";
import { handoffSelection } from "./selection/handoff-selection.ts";

const OPTIONS = definitionOptions<PatternOptions>(
  "a pattern",
  {
    initialAgent: true,
    agents: true,
    userAgent: true,
    groupManager: true,
    contextVariables: true,
    groupAfterWork: true,
    excludeTransitMessage: true,
    sendIntroductions: true,
    summaryMethod: true,
    summaryArgs: true,
  },
  {
    graph: "it is an option of GraphPattern",
    groupManagerArgs: "write groupManager",
    selectionMessage: "it is an option of AutoPattern",
  },
);

/** A group with hand-overs. */
export class GroupPattern implements InnerConversation {
  readonly options: PatternOptions;
  readonly kind: PatternKind | "graph";

  constructor(kind: PatternKind | "graph", options: PatternOptions) {
    refuseUnknownOptions(options, OPTIONS, !PATTERNS.has(new.target));
    this.kind = kind;
    this.options = options;
    if (!Array.isArray(options.agents))
      throw invalidDefinition(`a pattern needs a list of agents, got ${preview(options.agents)}`);
    if (options.groupAfterWork !== undefined) checkTarget(options.groupAfterWork);
    const names = everybody(options).map(({ name }) => name);
    speakerTransitions({ agents: names });
    if (options.agents.length === 0) throw invalidDefinition("a pattern needs at least one agent");
    if (options.initialAgent === undefined)
      throw invalidDefinition("a pattern needs an initialAgent, who speaks first");
    const initialAgent = ConversableAgent.of(options.initialAgent);
    if (!everybody(options).includes(initialAgent))
      throw invalidDefinition(
        names.includes(initialAgent.name)
          ? `the initial agent "${initialAgent.name}" is another object than the member of that name`
          : `the initial agent "${initialAgent.name}" is no member; members: ${names.join(", ")}`,
      );
  }

  /**
   * Checks the whole group. Throws `invalid_definition` for hand-overs to unknown agents, and for choices without a
   * model.
   */
  prepare(): PreparedPattern {
    const { options } = this;
    const { userAgent, excludeTransitMessage = true, sendIntroductions = false } = options;
    const members = everybody(options);
    const initialAgent = ConversableAgent.of(options.initialAgent);
    const manager = new ConversableAgent({
      systemMessage: "You manage a group chat.",
      humanInputMode: "NEVER",
      ...options.groupManager,
      name: "chat_manager",
    });
    const byName = new Map(members.map((member) => [member.name, member]));
    const { handoffs, groupAfterWork: afterWork } = this.patterned({
      initialAgent: initialAgent.name,
      agents: members.flatMap((each) => (each === userAgent ? [] : [each.name])),
      ...(userAgent === undefined ? undefined : { userAgent: userAgent.name }),
      handoffsOf: (name) => (byName.get(name) as ConversableAgent).handoffs,
      groupAfterWork: options.groupAfterWork ?? terminateTarget(),
    });
    for (const [name, own] of handoffs) checkHandoffs(name, own, [...byName.keys()]);
    checkAfterWork(afterWork, [...byName.keys()]);
    const chooser = [manager, ...members].find(({ hasModel }) => hasModel);
    const targets = [...handoffs.values()].flatMap(
      ({ contextConditions, llmConditions, afterWorks }) =>
        [...contextConditions, ...llmConditions, ...afterWorks].map(({ target }) => target),
    );
    if (
      chooser === undefined &&
      [...targets, afterWork].some(({ kind }) => kind === "groupManager")
    )
      throw invalidDefinition(
        "a model selects the speakers of this group, and none is set: give the manager or an agent an `llm`",
      );
    return {
      group: {
        manager,
        members,
        handoffs,
        afterWork,
        userAgent: userAgent?.name,
        showsTransfers: !excludeTransitMessage,
        ...(sendIntroductions ? { introduction: introduction(members) } : undefined),
      },
      selection: (isUnderWay) => this.selection({ chooser: chooser ?? manager, isUnderWay }),
      variables: variablesOf(options.contextVariables),
      initialAgent,
      userAgent,
      summary: options,
    };
  }

  /** Runs the conversation inside another one. */
  converse(
    talk: Talk,
    place: RunScope,
    options: { readonly messages: string; readonly maxRounds: number },
  ): Promise<GroupChatResult> {
    return runPattern(talk, place, { prepared: this.prepare(), ...options });
  }

  protected patterned(members: Parameters<typeof withPattern>[1]): ReturnType<typeof withPattern> {
    return withPattern(this.kind === "graph" ? "default" : this.kind, members);
  }

  protected selection({
    chooser,
    isUnderWay,
  }: {
    readonly chooser: ConversableAgent;
    readonly isUnderWay: boolean;
  }): Group["selection"] {
    const { initialAgent, userAgent } = this.options;
    return handoffSelection({
      initialAgent: ConversableAgent.of(initialAgent).name,
      userAgent: userAgent?.name,
      chooser,
      isUnderWay,
    });
  }
}

/** Uses only hand-overs; without a matching one, `groupAfterWork` decides. */
export class DefaultPattern extends GroupPattern {
  constructor(options: PatternOptions) {
    super("default", options);
  }
}

/** Without a matching hand-over, a model decides. */
export class AutoPattern extends GroupPattern {
  readonly #message: string | undefined;

  /** `selectionMessage` is the model's prompt; `{agentlist}` and context variables are filled in. */
  constructor({
    selectionMessage,
    ...options
  }: PatternOptions & { readonly selectionMessage?: string }) {
    super("auto", options);
    this.#message = selectionMessage;
  }

  protected override patterned(
    members: Parameters<typeof withPattern>[1],
  ): ReturnType<typeof withPattern> {
    return { ...super.patterned(members), groupAfterWork: groupManagerTarget(this.#message) };
  }
}

/** All members in turn: the initial agent, the others in order, the user agent last. */
export class RoundRobinPattern extends GroupPattern {
  constructor(options: PatternOptions) {
    super("round_robin", options);
  }
}

/** After each member any other one, at random. */
export class RandomPattern extends GroupPattern {
  constructor(options: PatternOptions) {
    super("random", options);
  }
}

/** Without a matching hand-over, a person decides. */
export class ManualPattern extends GroupPattern {
  constructor(options: PatternOptions) {
    super("manual", options);
  }
}

/** Uses a transition graph in place of hand-overs. */
export class GraphPattern extends GroupPattern {
  readonly graph: TransitionGraph;

  /** Throws `invalid_definition` for an initial speaker outside of the agents. */
  constructor({
    graph,
    ...options
  }: Omit<PatternOptions, "initialAgent"> & { readonly graph: TransitionGraph }) {
    const all = everybody(options);
    const initialAgent = all.find(({ name }) => name === graph.initialSpeaker);
    if (initialAgent === undefined)
      throw invalidDefinition(
        `the graph begins with "${graph.initialSpeaker}", who is no member; members: ${all.map(({ name }) => name).join(", ")}`,
      );
    super("graph", { ...options, initialAgent });
    this.graph = graph;
  }

  protected override selection(): Group["selection"] {
    const { userAgent } = this.options;
    return graphSelection(this.graph, userAgent?.name ?? this.graph.initialSpeaker);
  }
}

/** Patterns without options of a subclass. */
const PATTERNS: ReadonlySet<unknown> = new Set([
  GroupPattern,
  DefaultPattern,
  AutoPattern,
  RoundRobinPattern,
  RandomPattern,
  ManualPattern,
  GraphPattern,
]);

function everybody({
  agents,
  userAgent,
}: Pick<PatternOptions, "agents" | "userAgent">): readonly ConversableAgent[] {
  const members = agents.map((each) => ConversableAgent.of(each));
  return userAgent === undefined || members.includes(userAgent) ? members : [...members, userAgent];
}

function checkAfterWork(target: TransitionTarget, members: readonly string[]): void {
  const stranger = namedMembers(target).find((name) => !members.includes(name));
  if (stranger !== undefined)
    throw new EngineError(
      "invalid_definition",
      `groupAfterWork leads to ${jsonText(stranger)}, who is no member; members: ${members.join(", ")}`,
    );
}
