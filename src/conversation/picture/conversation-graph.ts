// Possible successions of speakers in a conversation, and their causes: the data of pictures.
import { ConversableAgent } from "../agents/conversable-agent.ts";
import type { ConversationMember, Member } from "../agents/conversation-member.ts";
import type { HandoffCause } from "../events.ts";
import { GraphPattern, type GroupPattern } from "../groups/patterns.ts";
import type { ContextCondition } from "../targets/handoffs.ts";
import { NamedConversation } from "../named-conversation.ts";
import { targetLabel, type TransitionTarget } from "../targets/targets.ts";
import {
  byPriority,
  GRAPH_REGISTRY,
  kindOf,
  type GraphTerm,
  type TransitionGraph,
} from "../targets/transition-graph.ts";

/** A member, or another target of a hand-over. */
export type GraphNode = {
  readonly id: string;
  readonly kind: "agent" | "person" | "conversation" | "chats" | "function" | "choice" | "end";
  readonly label: string;
  /** Set for the first speaker. */
  readonly isInitial?: true;
};

/** A possible transition. */
export type GraphLink = {
  readonly from: string;
  readonly to: string;
  readonly cause:
    | Extract<HandoffCause, "context" | "model" | "after_work" | "group_after_work">
    | "graph"
    | "turn";
  /** Text of the condition. */
  readonly label?: string;
};

/** A conversation as a graph. */
export type ConversationGraph = {
  readonly nodes: readonly GraphNode[];
  readonly links: readonly GraphLink[];
};

export const END = { id: "(end)", kind: "end", label: "end" } as const;

/** Returns the node of a member. */
export function memberNode(
  { name, humanInputMode }: Pick<ConversationMember, "name" | "humanInputMode">,
  isInitial: boolean,
): GraphNode {
  const kind = humanInputMode === "ALWAYS" ? "person" : "agent";
  return { id: name, kind, label: name, ...(isInitial ? { isInitial } : undefined) };
}

/** Returns the graph of a pattern: its members, and the targets of their hand-overs. */
export function patternGraph(pattern: GroupPattern): ConversationGraph {
  const { group, initialAgent, userAgent } = pattern.prepare();
  const members = group.members.map((member) => memberNode(member, member === initialAgent));
  const drawing = new Drawing(members, userAgent?.name);
  if (pattern instanceof GraphPattern) {
    for (const { id } of members) linkTransitions(drawing, pattern.graph, { from: id, members });
    return drawing.graph;
  }
  for (const { name } of group.members) {
    const own = group.handoffs?.get(name);
    for (const { target, condition } of own?.contextConditions ?? [])
      drawing.link(name, target, { cause: "context", label: conditionLabel(condition) });
    for (const { target, prompt } of own?.llmConditions ?? [])
      drawing.link(name, target, { cause: "model", label: prompt });
    for (const { target, condition } of own?.afterWorks ?? [])
      drawing.link(name, target, { cause: "after_work", label: conditionLabel(condition) });
    const isDecided = own?.afterWorks.some(({ condition }) => condition === undefined) ?? false;
    if (!isDecided && group.afterWork !== undefined)
      drawing.link(name, group.afterWork, { cause: "group_after_work" });
  }
  return drawing.graph;
}

export class Drawing {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #links: GraphLink[] = [];
  readonly #userAgent: string | undefined;

  constructor(members: readonly GraphNode[], userAgent: string | undefined) {
    for (const member of members) this.#nodes.set(member.id, member);
    this.#userAgent = userAgent;
  }

  get graph(): ConversationGraph {
    return { nodes: [...this.#nodes.values()], links: this.#links };
  }

  link(
    from: string,
    target: TransitionTarget,
    { cause, label }: { readonly cause: GraphLink["cause"]; readonly label?: string | undefined },
  ): void {
    const about = { cause, ...(label === undefined ? undefined : { label }) };
    for (const to of this.#endsOf(from, target)) this.#links.push({ from, to, ...about });
  }

  /** Adds a transition of a graph. Without a target it leads to the end. */
  linkTurn(from: string, to: string | undefined, label?: string): void {
    const about = { cause: "graph", ...(label === undefined ? undefined : { label }) } as const;
    this.#links.push({ from, to: to ?? this.#add(END), ...about });
  }

  #endsOf(from: string, target: TransitionTarget): readonly string[] {
    switch (target.kind) {
      case "agent":
        return [target.name];
      case "stay":
        return [from];
      case "random":
        return target.names;
      case "terminate":
        return [this.#add(END)];
      case "revertToUser":
        return [this.#userAgent ?? this.#add(END)];
      case "askUser":
        return [this.#add({ id: "(person chooses)", kind: "choice", label: "a person chooses" })];
      case "groupManager":
        return [this.#add({ id: "(model chooses)", kind: "choice", label: "a model chooses" })];
      case "groupChat": {
        const { conversation } = target;
        const label = conversation instanceof NamedConversation ? conversation.name : "a group";
        return [this.#add({ id: `(conversation ${label})`, kind: "conversation", label })];
      }
      case "nestedChat": {
        const label = `chats with ${target.chats.map(({ recipient }) => nameOf(recipient)).join(", ")}`;
        return [this.#add({ id: `(${label})`, kind: "chats", label })];
      }
      case "function": {
        const label = target.run.name === "" ? "function" : target.run.name;
        return [this.#add({ id: `(function ${label})`, kind: "function", label })];
      }
      default:
        return [targetLabel(target satisfies never)];
    }
  }

  #add(node: GraphNode): string {
    this.#nodes.set(node.id, node);
    return node.id;
  }
}

function conditionLabel(condition: ContextCondition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  return condition.kind === "variable" ? condition.name : condition.expression.source;
}

/** Adds a member's successors in a transition graph, up to a transition that always holds. */
export function linkTransitions(
  drawing: Drawing,
  graph: TransitionGraph,
  { from, members }: { readonly from: string; readonly members: readonly GraphNode[] },
): void {
  const { conditions, targets } = GRAPH_REGISTRY;
  const leadsTo = (target: GraphTerm | null): string | undefined => {
    if (target === null) return undefined;
    const decision = kindOf(targets, target, "target").decide(target.args, {
      speaker: from,
      context: {},
      turnCount: 1,
      participants: members.map(({ id }) => id),
      initiator: graph.initialSpeaker, // usually the opener of the conversation
    });
    return decision.kind === "end" ? undefined : decision.name;
  };
  for (const { when, then } of byPriority(graph)) {
    const holds = kindOf(conditions, when, "condition").always?.(when.args, from);
    if (holds === false) continue;
    drawing.linkTurn(from, leadsTo(then), holds === true ? undefined : termLabel(when));
    if (holds === true) return;
  }
  drawing.linkTurn(from, leadsTo(graph.defaultTarget));
}

function termLabel({ name, args }: GraphTerm): string {
  const values = Object.entries(args).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return [name.replaceAll("_", " "), ...values].join(", ");
}

/** Returns the name of a chat's recipient: a member by name, a conversation agent or a crew agent. */
function nameOf(recipient: string | Member): string {
  return typeof recipient === "string" ? recipient : ConversableAgent.of(recipient).name;
}
