import type { Graph, GraphEdge, GraphNode } from "../../wire/graph.ts";
import type { FlowDefinition } from "../flow-definition.ts";
import { diagramOf, type DiagramLink, type DiagramNode } from "./diagram.ts";
import { flowStructure } from "./flow-structure.ts";

/** Returns a flow as a graph, with the methods, labels and joins of its picture. */
export function graphOfFlow(name: string, definition: FlowDefinition): Graph {
  const { nodes, links } = diagramOf(definition);
  const ids = new Map(nodes.map((node) => [node.id, idOf(node)]));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = links.map((link): GraphEdge => {
    const [from, to] = [ids.get(link.from) ?? "", ids.get(link.to) ?? ""];
    return { id: `${from} → ${to}`, from, to, kind: edgeKind(link, byId.get(link.to)) };
  });
  return {
    kind: "flow",
    name,
    groups: [],
    nodes: nodes.map((node) => nodeOf(node, idOf(node))),
    edges,
    warnings: flowStructure(definition).warnings,
  };
}

/** Labels may have any name, and several routers the same one. */
function idOf(node: DiagramNode): string {
  return node.kind === "method" ? `method:${node.name}` : node.id;
}

function nodeOf(node: DiagramNode, id: string): GraphNode {
  switch (node.kind) {
    case "method": {
      const { name, method, start, routes } = node;
      const { description, humanFeedback } = method;
      return {
        id,
        kind: "method",
        label: name,
        ...(description === undefined ? undefined : { sub: description }),
        key: id,
        ...(start === "no" ? undefined : { start: true }),
        ...(routes ? { router: true } : undefined),
        ...(humanFeedback === undefined ? undefined : { human: true }),
      };
    }
    case "label":
      return {
        id,
        kind: "label",
        label: node.label ?? "?",
        ...(node.isByPerson ? { human: true } : undefined),
      };
    case "gate":
      return { id, kind: "join", label: node.join === "AND" ? "all" : "any" };
    default:
      return node satisfies never;
  }
}

function edgeKind({ kind }: DiagramLink, target: DiagramNode | undefined): GraphEdge["kind"] {
  if (kind === "gives") return "routes";
  if (kind === "and") return "all";
  const joins = target?.kind === "gate" || (target?.kind === "method" && target.join !== undefined);
  return joins ? "any" : "listens";
}
