// A conversation as a Mermaid flowchart, for READMEs and wikis.
import type { ConversationGraph, GraphNode } from "./conversation-graph.ts";

export function mermaidOf({ nodes, links }: ConversationGraph): string {
  const ids = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = nodes.map((node) => `  ${ids.get(node.id)}${shapeOf(node)}`);
  const arrows = links.map(({ from, to, label, cause }) => {
    const arrow = cause === "group_after_work" ? "-.->" : "-->";
    const words = label === undefined ? "" : `|${quoted(label)}|`;
    return `  ${ids.get(from)} ${arrow}${words} ${ids.get(to)}`;
  });
  return ["flowchart LR", ...lines, ...arrows, ""].join("\n");
}

function shapeOf({ kind, label, isInitial }: GraphNode): string {
  const text = quoted(label);
  if (isInitial === true) return `([${text}])`;
  switch (kind) {
    case "person":
      return `[/${text}/]`;
    case "end":
      return `((${text}))`;
    case "choice":
      return `{${text}}`;
    case "conversation":
    case "chats":
      return `[[${text}]]`;
    default:
      return `[${text}]`;
  }
}

/** Escapes a text for Mermaid: characters with a possible meaning become numbers. */
function quoted(text: string): string {
  const safe = text.replace(
    /[^\p{L}\p{M}\p{N} _.,:!?()/+-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
  return `"${safe}"`;
}
