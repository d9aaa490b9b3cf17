import type { Graph, GraphEdge, GraphNode } from "../../wire/graph.ts";
import type { RunnableConversation } from "../runnable-conversation.ts";
import type { GraphNode as Participant } from "./conversation-graph.ts";

/** Returns a conversation as a graph: its members, and their possible successions. */
export function graphOfConversation(name: string, conversation: RunnableConversation): Graph {
  const { nodes, links } = conversation.exchange.graph();
  const seen = new Map<string, number>();
  const edges = links.map(({ from, to, label }): GraphEdge => {
    const way = `${from} → ${to}`;
    const count = (seen.get(way) ?? 0) + 1;
    seen.set(way, count);
    return {
      id: count === 1 ? way : `${way} ${count}`,
      from,
      to,
      kind: "hands-off",
      ...(label === undefined ? undefined : { label }),
    };
  });
  const ids = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const strangers = [...ids]
    .filter((id) => !nodes.some((node) => node.id === id))
    .map((id): Participant => ({ id, kind: "agent", label: id }));
  return {
    kind: "conversation",
    name,
    groups: [],
    nodes: [...nodes, ...strangers].map(nodeOf),
    edges,
    warnings: strangers.map(({ id }) => `${JSON.stringify(id)} is not a member`),
  };
}

function nodeOf({ id, kind, label, isInitial }: Participant): GraphNode {
  const isMember = kind === "agent" || kind === "person";
  return {
    id,
    kind: KINDS[kind],
    label,
    ...(kind === "conversation" || kind === "chats" || kind === "function"
      ? { sub: kind }
      : undefined),
    ...(isMember ? { key: `speaker:${id}` } : undefined),
    ...(isInitial === true ? { start: true } : undefined),
    ...(kind === "person" ? { human: true } : undefined),
  };
}

const KINDS: Readonly<Record<Participant["kind"], GraphNode["kind"]>> = {
  agent: "speaker",
  person: "human",
  conversation: "join",
  chats: "join",
  function: "join",
  choice: "join",
  end: "end",
};
