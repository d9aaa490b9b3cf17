// A conversation as an image: its members on a circle, and the hand-overs between them as arrows.
import type { ConversationGraph, GraphLink, GraphNode } from "./conversation-graph.ts";

type Point = { readonly x: number; readonly y: number };

const WIDTH = 160;
const HEIGHT = 44;
const MARGIN = 70;
const SHOWN_LENGTH = 40;
const SHOWN_NAME = 22;
/** Distance of the bend of parallel and opposite arrows. */
const BEND = 26;

/** Returns an SVG without scripts or external content. The title of each arrow is its full label. */
export function svgOf({ nodes, links }: ConversationGraph): string {
  const radius = Math.max(150, (nodes.length * (WIDTH + 30)) / (2 * Math.PI));
  const places = new Map(nodes.map(({ id }, index) => [id, placeOn(index, nodes.length, radius)]));
  const half = { x: radius + WIDTH / 2 + MARGIN, y: radius + HEIGHT / 2 + MARGIN };
  const drawn = links.map((link, index) => {
    const before = links
      .slice(0, index)
      .filter(({ from, to }) => from === link.from && to === link.to);
    return drawLink(link, places, before.length);
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-half.x} ${-half.y} ${2 * half.x} ${2 * half.y}" font-family="system-ui, sans-serif" font-size="13">`,
    `<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" fill="#556"/></marker></defs>`,
    `<rect x="${-half.x}" y="${-half.y}" width="100%" height="100%" fill="#fff"/>`,
    ...drawn,
    ...nodes.map((node) => drawNode(node, places.get(node.id) as Point)),
    "</svg>",
  ].join("\n");
}

function placeOn(index: number, count: number, radius: number): Point {
  if (count === 1) return { x: 0, y: 0 };
  const angle = (2 * Math.PI * index) / count - Math.PI / 2;
  return { x: rounded(radius * Math.cos(angle)), y: rounded(radius * Math.sin(angle)) };
}

function drawNode({ label, kind, isInitial }: GraphNode, { x, y }: Point): string {
  const fill = kind === "person" ? "#fff4dc" : kind === "agent" ? "#e8f0fe" : "#f1f1f4";
  const corner = kind === "agent" || kind === "person" ? 8 : HEIGHT / 2;
  const stroke = isInitial === true ? 3 : 1;
  const shown = kind === "person" ? `${label} (person)` : label;
  return [
    `<g><title>${escaped(shown)}</title>`,
    `<rect x="${x - WIDTH / 2}" y="${y - HEIGHT / 2}" width="${WIDTH}" height="${HEIGHT}" rx="${corner}" fill="${fill}" stroke="#334" stroke-width="${stroke}"/>`,
    `<text x="${x}" y="${y + 5}" text-anchor="middle">${escaped(shortened(shown, SHOWN_NAME))}</text></g>`,
  ].join("");
}

function drawLink(
  { from, to, cause, label }: GraphLink,
  places: ReadonlyMap<string, Point>,
  before: number,
): string {
  const [start, end] = [from, to].map((id) => places.get(id) as Point) as [Point, Point];
  const { path, middle } = from === to ? loop(start, before) : curve(start, end, before);
  const dashes = cause === "group_after_work" ? ' stroke-dasharray="5 4"' : "";
  const words =
    label === undefined
      ? ""
      : `<text x="${middle.x}" y="${middle.y}" text-anchor="middle" font-size="11" fill="#445" stroke="#fff" stroke-width="3" paint-order="stroke">${escaped(shortened(label, SHOWN_LENGTH))}</text>`;
  const title = `${from} → ${to}${label === undefined ? "" : `: ${label}`} (${cause.replaceAll("_", " ")})`;
  return `<g><title>${escaped(title)}</title><path d="${path}" fill="none" stroke="#556"${dashes} marker-end="url(#arrow)"/>${words}</g>`;
}

/** Bends to the left of its direction, so the way back is a separate line. */
function curve(from: Point, to: Point, before: number): { path: string; middle: Point } {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const side = { x: (to.y - from.y) / length, y: (from.x - to.x) / length };
  const bend = BEND * (before + 1) * 2;
  const control = {
    x: rounded((from.x + to.x) / 2 + side.x * bend),
    y: rounded((from.y + to.y) / 2 + side.y * bend),
  };
  const [start, end] = [edgeOf(from, control), edgeOf(to, control)];
  const middle = {
    x: rounded((start.x + 2 * control.x + end.x) / 4),
    y: rounded((start.y + 2 * control.y + end.y) / 4),
  };
  return { path: `M${start.x} ${start.y}Q${control.x} ${control.y} ${end.x} ${end.y}`, middle };
}

function loop({ x, y }: Point, before: number): { path: string; middle: Point } {
  const top = y - HEIGHT / 2;
  const height = BEND * (before + 2);
  return {
    path: `M${x - 24} ${top}C${x - 40} ${top - height} ${x + 40} ${top - height} ${x + 24} ${top}`,
    middle: { x, y: rounded(top - height * 0.75) },
  };
}

/** Returns the point at which a line from the middle of a box leaves the box. */
function edgeOf({ x, y }: Point, towards: Point): Point {
  const [dx, dy] = [towards.x - x, towards.y - y];
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : WIDTH / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : HEIGHT / 2 / Math.abs(dy),
  );
  return { x: rounded(x + dx * scale), y: rounded(y + dy * scale) };
}

function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "<": "&lt;",
    ">": "&gt;",
    "&": "&amp;",
    '"': "&quot;",
  };
  return text.replace(/\p{Cc}/gu, " ").replace(/[<>&"]/g, (character) => names[character] ?? "");
}
