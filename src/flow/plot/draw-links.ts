// Links of a picture, with marks for those a run has followed.
import type { Diagram, DiagramLink, DiagramNode } from "./diagram.ts";
import type { Layout } from "../../graph/graph-layout.ts";
import { progressOf, timesReturned, type RunProgress } from "./run-progress.ts";

/** Draws the links, followed ones on top, with an arrow at each method. */
export function drawLinks(
  diagram: Diagram,
  { boxes, ways }: Layout,
  progress: RunProgress | undefined,
): string {
  const { nodes, links } = diagram;
  const walked = progress === undefined ? new Set<DiagramLink>() : walkedLinks(diagram, progress);
  const sorted = links.toSorted((a, b) => Number(walked.has(a)) - Number(walked.has(b)));
  const lines = sorted.map((link) => {
    const classes = ["link"];
    if (link.kind === "and") classes.push("and");
    if (link.isBack) classes.push("back");
    if (!link.isKnown) classes.push("maybe");
    if (walked.has(link)) classes.push("walked");
    return `<path class="${classes.join(" ")}" data-from="${link.from}" data-to="${link.to}" d="${ways.get(link) ?? ""}"/>`;
  });
  const entered = Map.groupBy(links, ({ to }) => to);
  const arrows = nodes.map(({ id, kind }) => {
    const box = boxes.get(id);
    const into = entered.get(id);
    if (kind !== "method" || box === undefined || into === undefined) return "";
    const classes = ["arrow"];
    if (into.every((link) => link.kind === "and")) classes.push("and");
    if (into.some((link) => walked.has(link))) classes.push("walked");
    const x = Math.round((box.x + box.width / 2) * 10) / 10;
    const y = Math.round((box.y - 7.5) * 10) / 10;
    return `<path class="${classes.join(" ")}" data-to="${id}" d="M${x - 4.5} ${y}h9l-4.5 7z"/>`;
  });
  return lines.join("") + arrows.join("");
}

/** Returns the links with two reached ends. */
function walkedLinks({ nodes, links }: Diagram, progress: RunProgress): ReadonlySet<DiagramLink> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** A gate has no record: it is reached when its target is. */
  const hasRun = (node: DiagramNode | undefined): boolean => {
    if (node === undefined) return false;
    if (node.kind === "method") return (progressOf(progress, node.name)?.count ?? 0) > 0;
    if (node.kind === "label") return timesReturned(progress, node) > 0;
    return links.some(({ from, to }) => from === node.id && hasRun(byId.get(to)));
  };
  return new Set(links.filter(({ from, to }) => hasRun(byId.get(from)) && hasRun(byId.get(to))));
}
