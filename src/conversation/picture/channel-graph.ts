import type { ConversableAgent } from "../agents/conversable-agent.ts";
import type { NetworkChannel } from "../network/network-channel.ts";
import {
  Drawing,
  linkTransitions,
  memberNode,
  type ConversationGraph,
} from "./conversation-graph.ts";

/** Returns the graph of a channel: its members, and their possible turns. */
export function channelGraph({ kind, members, graph }: NetworkChannel): ConversationGraph {
  const nodes = members.map((member, index) => memberNode(member, index === 0));
  const [initiator] = members as readonly [ConversableAgent];
  const drawing = new Drawing(nodes, initiator.name);
  if (graph !== undefined) {
    for (const { id } of nodes) linkTransitions(drawing, graph, { from: id, members: nodes });
    return drawing.graph;
  }
  for (const [index, { id }] of nodes.entries()) {
    const next = nodes[(index + 1) % nodes.length];
    const isLast = index === nodes.length - 1;
    if (kind === "consulting" && isLast) drawing.linkTurn(id, undefined);
    else if (next !== undefined) drawing.linkTurn(id, next.id);
  }
  return drawing.graph;
}
