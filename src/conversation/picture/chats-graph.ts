// Pictures of chats: two that answer each other, groups with a manager, and queues.
import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { QueuedChat } from "../chats/queued-chat.ts";
import type { GroupChat } from "../groups/group-chat.ts";
import { GroupChatManager } from "../groups/group-chat-manager.ts";
import {
  END,
  memberNode,
  type ConversationGraph,
  type GraphLink,
  type GraphNode,
} from "./conversation-graph.ts";

type Pair = readonly [ConversableAgent, ConversableAgent];

/** Returns the graph of chats in sequence, or of a single one. */
export function chatsGraph(
  chats: readonly QueuedChat[],
  {
    pairs,
    members,
  }: { readonly pairs: readonly Pair[]; readonly members: readonly ConversableAgent[] },
): ConversationGraph {
  const first = pairs[0]?.[0];
  const nodes = new Map(
    members.map((member) => [member.name, memberNode(member, member === first)]),
  );
  const links: GraphLink[] = [];
  const link = (from: string, to: GraphNode, label?: string): void => {
    if (!nodes.has(to.id)) nodes.set(to.id, to);
    links.push({
      from,
      to: to.id,
      cause: "turn",
      ...(label === undefined ? undefined : { label }),
    });
  };
  for (const [index, [sender, recipient]] of pairs.entries()) {
    const label = pairs.length > 1 ? `chat ${index + 1}` : undefined;
    if (recipient instanceof GroupChatManager)
      linkGroup(recipient.groupChat, { sender, label, link });
    else {
      link(sender.name, memberNode(recipient, false), label);
      const { maxTurns } = chats[index] ?? {};
      if (maxTurns !== 1) link(recipient.name, memberNode(sender, false), label);
      if (index === pairs.length - 1)
        link(recipient.name, END, maxTurns === undefined ? undefined : turns(maxTurns));
    }
  }
  for (const member of members) linkNestedChats(member, link);
  return { nodes: [...nodes.values()], links };
}

function turns(count: number): string {
  return `after ${count} ${count === 1 ? "turn" : "turns"}`;
}

type Link = (from: string, to: GraphNode, label?: string) => void;

/** Adds the successions of a group: its transitions, its order, or a choice. */
function linkGroup(
  { agents, method, transitions, maxRound }: GroupChat,
  {
    sender,
    label,
    link,
  }: {
    readonly sender: ConversableAgent;
    readonly label: string | undefined;
    readonly link: Link;
  },
): void {
  const nodes = new Map(agents.map((each) => [each.name, memberNode(each, false)]));
  const end = `after ${maxRound} messages`;
  const isMember = agents.includes(sender);
  if (method === "round_robin" && !transitions.isConstrained) {
    const [first] = agents;
    if (!isMember && first !== undefined) link(sender.name, memberNode(first, false), label);
    for (const [index, { name }] of agents.entries()) {
      const next = agents[(index + 1) % agents.length];
      if (next !== undefined) link(name, memberNode(next, false));
    }
    link(agents.at(-1)?.name ?? sender.name, END, end);
    return;
  }
  const choice = choiceNode(method);
  link(sender.name, choice, label);
  for (const { name } of agents) {
    if (name !== sender.name && !transitions.isConstrained) link(name, choice);
    if (!transitions.isConstrained || !isMember) link(choice.id, nodes.get(name) as GraphNode);
    if (!transitions.isConstrained) continue;
    for (const next of transitions.allowed.get(name) ?? [])
      link(name, nodes.get(next) as GraphNode);
  }
  link(choice.id, END, end);
}

function choiceNode(method: GroupChat["method"]): GraphNode {
  if (typeof method === "function") {
    const label = method.name === "" ? "function" : method.name;
    return { id: `(function ${label})`, kind: "function", label };
  }
  const label = CHOICES[method];
  return { id: `(${label})`, kind: "choice", label };
}

const CHOICES = {
  auto: "a model chooses",
  manual: "a person chooses",
  random: "at random",
  round_robin: "in turn",
} as const;

function linkNestedChats({ name, replyChain }: ConversableAgent, link: Link): void {
  for (const each of replyChain) {
    if (each.kind !== "steps" || each.chats === undefined) continue;
    const label = `chats with ${each.chats.map(({ recipient }) => recipient.name).join(", ")}`;
    link(name, { id: `(${label})`, kind: "chats", label });
  }
}
