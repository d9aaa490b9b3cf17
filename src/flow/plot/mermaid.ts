// A flow as a Mermaid flowchart, for READMEs and wikis.
import type { FlowDefinition } from "../flow-definition.ts";
import { diagramOf, type DiagramNode, type LabelNode, type MethodNode } from "./diagram.ts";
import {
  describeProgress,
  progressOf,
  type MethodState,
  type RunProgress,
} from "./run-progress.ts";

/** The text contains the state of each method if there is progress. */
export function mermaidOf(definition: FlowDefinition, progress?: RunProgress): string {
  const { nodes, links } = diagramOf(definition);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isLabel = (id: string): boolean => byId.get(id)?.kind === "label";
  const lines = nodes.flatMap((node) => {
    if (node.kind === "label") return [];
    return [`  ${node.id}${shapeOf(node)}`];
  });
  for (const node of nodes) if (node.kind === "label") lines.push(...labelLines(node));
  for (const { from, to } of links)
    if (!isLabel(from) && !isLabel(to)) lines.push(`  ${from} --> ${to}`);

  /** A label is the text of the links from its router to the methods that listen to it. */
  function labelLines(node: LabelNode): string[] {
    const givers = links.filter(({ to }) => to === node.id).map(({ from }) => from);
    const hearers = links.filter(({ from }) => from === node.id).map(({ to }) => to);
    const text = quoted(node.label ?? "?");
    const arrow = node.isKnown ? "-->" : "-.->";
    if (givers.length === 0)
      return [`  ${node.id}([${text}])`, ...hearers.map((to) => `  ${node.id} -.-> ${to}`)];
    if (hearers.length === 0)
      return [
        `  ${node.id}((" "))`,
        ...givers.map((from) => `  ${from} ${arrow}|${text}| ${node.id}`),
      ];
    return givers.flatMap((from) => hearers.map((to) => `  ${from} ${arrow}|${text}| ${to}`));
  }

  const states = new Map<MethodState, string[]>();
  for (const node of nodes) {
    const method = node.kind === "method" && progress ? progressOf(progress, node.name) : undefined;
    if (method === undefined || progress === undefined) continue;
    const { state } = describeProgress(method, progress.status, null);
    states.set(state, [...(states.get(state) ?? []), node.id]);
  }
  const classes = [...states].flatMap(([state, ids]) => [
    `  classDef ${state} ${STYLES[state]}`,
    `  class ${ids.join(",")} ${state}`,
  ]);
  return ["flowchart TD", ...lines, ...classes, ""].join("\n");
}

function shapeOf(node: Exclude<DiagramNode, LabelNode>): string {
  if (node.kind === "gate") return `{{${quoted(node.join)}}}`;
  const text = quoted(node.join === undefined ? node.name : `${node.name} (${node.join})`);
  return shaped(node, text);
}

function shaped({ method, start, routes }: MethodNode, text: string): string {
  if (method.humanFeedback !== undefined) return `[/${text}/]`;
  if (start !== "no") return `([${text}])`;
  return routes ? `{${text}}` : `[${text}]`;
}

/** Escapes a text for Mermaid: characters with a possible meaning become numeric codes. */
function quoted(text: string): string {
  const safe = text.replace(
    /[^\p{L}\p{M}\p{N} _.,:!?()/+-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
  return `"${safe}"`;
}

const STYLES: Readonly<Record<MethodState, string>> = {
  idle: "opacity:0.6",
  running: "stroke:#0b6bcb,stroke-width:3px",
  waiting: "stroke:#a35c00,stroke-width:3px",
  done: "stroke:#177245,stroke-width:2px",
  failed: "stroke:#b3261e,stroke-width:3px",
  stopped: "stroke-dasharray:4",
};
