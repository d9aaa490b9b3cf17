// A flow as SVG: boxes sized by their texts, the layout between them, and the progress of a run.
import type { FlowDefinition } from "../flow-definition.ts";
import { cardOf, JOIN, labelText, LINE, PAD, sizeOf, TEXT_LEFT, TILE, type Card } from "./card.ts";
import {
  diagramOf,
  type Diagram,
  type DiagramNode,
  type Join,
  type LabelNode,
  type MethodNode,
} from "./diagram.ts";
import { layoutOf, type Box, type Layout, type Size } from "../../graph/graph-layout.ts";
import { drawLinks } from "./draw-links.ts";
import { FLOW_STYLE } from "./flow-style.ts";
import {
  countsOf,
  factsOf,
  firstLine,
  JOIN_MEANS,
  kindOf,
  labelFacts,
  runFacts,
  type Kind,
} from "./method-facts.ts";
import { describeProgress, progressOf, timesReturned, type RunProgress } from "./run-progress.ts";
import { cut, escapeMarkup, textWidth, type Fit } from "./text.ts";

export type DrawOptions = {
  /** Progress of a run, and the end time for running methods. */
  readonly progress?: RunProgress;
  readonly nowMs?: number;
  /** Within a page: without heading, background and style, which the page has. */
  readonly isPart?: boolean;
};

/** Data computed once for a definition. */
type Plan = {
  readonly diagram: Diagram;
  readonly cards: ReadonlyMap<string, Card>;
  readonly layout: Layout;
  readonly heading: Heading;
};

type Heading = { readonly name: string; readonly about: string; readonly counts: string };
type Drawn = Plan & DrawOptions;

const plans = new WeakMap<FlowDefinition, { bare?: Plan; run?: Plan }>();

/** The picture of a flow, or of a run of it, as one `svg` element. */
export function drawFlow(definition: FlowDefinition, options: DrawOptions = {}): string {
  const { progress, isPart = false } = options;
  const plan = planOf(definition, progress !== undefined);
  const { diagram, layout, heading } = plan;
  const top = isPart ? 0 : HEADING_HEIGHT;
  const width = Math.max(layout.width, isPart ? 0 : headingWidth(heading));
  const left = Math.round((width - layout.width) / 2);
  const size = { width: Math.ceil(width), height: Math.ceil(layout.height + top) };
  const label = escapeMarkup(`Flow ${heading.name}: ${heading.counts}`);
  const around = isPart
    ? ""
    : `<title>${label}</title><style>${FLOW_STYLE}</style>${drawHeading(heading, size)}`;
  const nodes = diagram.nodes.map((node) => drawNode(node, { ...plan, ...options }));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="ecf${progress === undefined ? "" : " run"}" viewBox="0 0 ${size.width} ${size.height}"` +
    ` width="${size.width}" height="${size.height}" role="graphics-document document" aria-label="${label}">${around}` +
    `<g transform="translate(${left} ${top})">${drawLinks(diagram, layout, progress)}${nodes.join("")}</g></svg>`
  );
}

function planOf(definition: FlowDefinition, isRun: boolean): Plan {
  const known = plans.get(definition) ?? {};
  plans.set(definition, known);
  return (known[isRun ? "run" : "bare"] ??= makePlan(definition, isRun));
}

function makePlan(definition: FlowDefinition, isRun: boolean): Plan {
  const diagram = diagramOf(definition);
  const cards = new Map<string, Card>();
  for (const node of diagram.nodes)
    if (node.kind === "method") cards.set(node.id, cardOf(node, isRun));
  return {
    diagram,
    cards,
    layout: layoutOf(diagram, (node) => sizeOf(node, cards.get(node.id), isRun)),
    heading: {
      name: definition.name,
      about: firstLine(definition.description),
      counts: countsOf(definition),
    },
  };
}

// The heading of a picture on its own

const HEADING_HEIGHT = 66;
const EDGE = 16;
const TITLE: Fit = { size: 18, font: "sans", width: 560 };
const ABOUT: Fit = { size: 12, font: "sans", width: 560 };

function headingWidth(heading: Heading): number {
  const { title, about } = headingTexts(heading, ABOUT.width);
  return Math.max(textWidth(title, TITLE), textWidth(about, ABOUT)) + 2 * EDGE;
}

function headingTexts({ name, about, counts }: Heading, width: number) {
  const room = width - textWidth(`${counts} · `, ABOUT);
  return {
    title: cut(name, { ...TITLE, width }),
    about: about === "" ? counts : `${counts} · ${cut(about, { ...ABOUT, width: room })}`,
  };
}

function drawHeading(heading: Heading, { width, height }: Size): string {
  const { title, about } = headingTexts(heading, width - 2 * EDGE);
  return (
    `<rect class="paper" width="${width}" height="${height}"/>` +
    `<text class="title" x="${EDGE}" y="32">${escapeMarkup(title)}</text>` +
    `<text class="about" x="${EDGE}" y="52">${escapeMarkup(about)}</text>`
  );
}

// Nodes

function drawNode(node: DiagramNode, drawn: Drawn): string {
  const box = drawn.layout.boxes.get(node.id);
  if (box === undefined) return "";
  switch (node.kind) {
    case "method":
      return drawMethod(node, box, drawn);
    case "label":
      return drawLabel(node, box, drawn);
    case "gate":
      return `<g class="node" data-id="${node.id}"${at(box)}>${drawJoin(node.join, box.width / 2, box.height / 2)}</g>`;
    default:
      return node satisfies never;
  }
}

function drawMethod(node: MethodNode, box: Box, { cards, progress, nowMs }: Drawn): string {
  const { id, name, join, start } = node;
  const card = cards.get(id);
  if (card === undefined) return "";
  const { width, height, top, names, subtitle } = card;
  const run = progress && progressOf(progress, name);
  const now = run && progress && describeProgress(run, progress.status, nowMs ?? null);
  const kind = kindOf(node);
  const facts = [...factsOf(node), ...(now && run ? runFacts(now, run) : [])];
  const isOneLine = names.length === 1 && subtitle === "";
  const firstLineY = top + (isOneLine ? 25 : 21);
  const lines = names.map(
    (line, index) =>
      `<text class="name" x="${TEXT_LEFT}" y="${firstLineY + index * LINE}">${escapeMarkup(line)}</text>`,
  );
  const below = firstLineY + names.length * LINE;
  return [
    `<g class="node as-${kind}${now === undefined ? "" : ` ${now.state}`}" data-id="${id}" data-name="${escapeMarkup(name)}" tabindex="0" role="graphics-symbol img" aria-roledescription="method" aria-label="${escapeMarkup(facts.join("; "))}"${at(box)}>`,
    `<title>${escapeMarkup(facts.join("\n"))}</title>`,
    `<rect class="card${start === "by label" ? " maybe" : ""}" y="${top}" width="${width}" height="${height}" rx="10"/>`,
    `<rect class="tile" x="${PAD}" y="${top + 9}" width="${TILE}" height="${TILE}" rx="7"/>`,
    `<path class="icon" transform="translate(${PAD} ${top + 9})" d="${ICONS[kind]}"/>`,
    ...lines,
    subtitle === ""
      ? ""
      : `<text class="sub" x="${TEXT_LEFT}" y="${below}">${escapeMarkup(subtitle)}</text>`,
    now === undefined ? "" : drawState(now, card),
    join === undefined ? "" : drawJoin(join, width / 2, JOIN.height / 2),
    "</g>",
  ].join("");
}

/** Draws the row at the bottom of a card: a sign, its meaning, and the duration. */
function drawState(
  { state, text, time }: ReturnType<typeof describeProgress>,
  { width, height, top }: Card,
): string {
  const y = top + height - 12;
  return (
    `<path class="sign" transform="translate(${PAD + 6} ${y - 10})" d="${SIGNS[state]}"/>` +
    `<text class="state" x="${TEXT_LEFT}" y="${y}">${escapeMarkup(text)}</text>` +
    `<text class="time" x="${width - PAD}" y="${y}">${escapeMarkup(time)}</text>`
  );
}

function drawLabel(node: LabelNode, box: Box, { diagram, progress }: Drawn): string {
  const { id, label, router, isKnown, isByPerson } = node;
  const hasListener = label === undefined || diagram.links.some(({ from }) => from === id);
  const times = progress === undefined ? 0 : timesReturned(progress, node);
  const classes = ["node", "pill"];
  if (isByPerson) classes.push("by-human");
  if (!isKnown) classes.push("maybe");
  if (!hasListener) classes.push("unheard");
  if (times > 0) classes.push("given");
  const facts = labelFacts(node, { hasListener, times });
  const often = times > 1 ? ` ×${times}` : "";
  return (
    `<g class="${classes.join(" ")}" data-id="${id}" data-label="${escapeMarkup(label ?? "")}" data-router="${escapeMarkup(router ?? "")}" role="graphics-symbol img" aria-roledescription="label" aria-label="${escapeMarkup(facts.join("; "))}"${at(box)}>` +
    `<title>${escapeMarkup(facts.join("\n"))}</title><rect width="${box.width}" height="${box.height}" rx="${box.height / 2}"/>` +
    `<text x="${box.width / 2}" y="15">${escapeMarkup(labelText(node))}<tspan class="times">${often}</tspan></text></g>`
  );
}

/** The sign of a join, around a point. */
function drawJoin(join: Join, x: number, y: number): string {
  const { width, height } = JOIN;
  return (
    `<g class="join ${join.toLowerCase()}"><title>${JOIN_MEANS[join]}</title>` +
    `<rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${height / 2}"/>` +
    `<text x="${x}" y="${y + 3.2}">${join}</text></g>`
  );
}

function at({ x, y }: Box): string {
  return ` transform="translate(${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10})"`;
}

/** Icons in a field of 24. */
export const ICONS: Readonly<Record<Kind, string>> = {
  start: "M9 7.4v9.2l7.4-4.6z",
  human:
    "M12 11.6a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8zM6.6 18.2c.5-2.8 2.6-4.2 5.4-4.2s4.9 1.4 5.4 4.2",
  router:
    "M12 5.8v4M12 9.8C12 13.5 7 12.6 7 17.4M12 9.8c0 3.7 5 2.8 5 7.6M4.9 15.6 7 17.8l2.1-2.2M14.9 15.6l2.1 2.2 2.1-2.2",
  listener: "M7 8.4h10M7 12h10M7 15.6h6",
};

/** Signs in a field of 12. */
export const SIGNS: Readonly<Record<ReturnType<typeof describeProgress>["state"], string>> = {
  idle: "M3.5 6h5",
  running: "M10.5 6A4.5 4.5 0 1 1 6 1.5",
  waiting: "M4 2.5v7M8 2.5v7",
  done: "M1.8 6.4 4.8 9.4 10.4 3",
  failed: "M2.5 2.5l7 7M9.5 2.5l-7 7",
  stopped: "M3 3h6v6H3z",
};
