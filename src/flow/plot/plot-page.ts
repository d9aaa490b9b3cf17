// Picture of a flow as one page of HTML: without external resources, its script and style named by their hashes. It is
// readable without the script; with it the picture moves and zooms, and that of a run follows the run.
import type { FlowDefinition } from "../flow-definition.ts";
import type { Run } from "../../runtime/run.ts";
import { diagramOf, type Diagram, type MethodNode } from "./diagram.ts";
import { conditionOf, flowStructure, knownLabels } from "./flow-structure.ts";
import { drawFlow, ICONS, SIGNS } from "./draw-flow.ts";
import { countsOf, inWords, kindOf, type Kind } from "./method-facts.ts";
import { FLOW_STYLE, PAGE_COLOURS } from "./flow-style.ts";
import { integrityOf } from "./integrity.ts";
import { pageScript } from "./page-script.ts";
import { describeProgress, progressOf, type RunProgress } from "./run-progress.ts";
import { escapeMarkup } from "./text.ts";

const { light, dark } = PAGE_COLOURS;

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(${light.ink}, ${dark.ink}); --quiet: light-dark(${light.quiet}, ${dark.quiet}); --paper: light-dark(${light.paper}, ${dark.paper});
  --card: light-dark(${light.card}, ${dark.card}); --line: light-dark(${light.line}, ${dark.line}); --running: light-dark(${light.running}, ${dark.running});
  --waiting: light-dark(${light.waiting}, ${dark.waiting}); --completed: light-dark(${light.done}, ${dark.done}); --failed: light-dark(${light.failed}, ${dark.failed}) }
* { box-sizing: border-box } html, body { height: 100% }
body { margin: 0; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding: .8rem 1.25rem .75rem; border-bottom: 1px solid var(--line) }
h1 { font-size: 1.15rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere } header p { margin: 0; color: var(--quiet) } .counts { margin-left: auto } .about { flex-basis: 100%; order: 1 } code { font: .92em ui-monospace, "SF Mono", Menlo, Consolas, monospace }
#status { display: inline-block; padding: .05rem .6rem; border-radius: 1rem; border: 1.5px solid currentColor; font-weight: 600; color: var(--quiet) }
#status[data-status=running] { color: var(--running) } #status[data-status=waiting] { color: var(--waiting) } #status[data-status=completed] { color: var(--completed) } #status[data-status=failed] { color: var(--failed) }
.view { flex: 1; min-height: 12rem; position: relative } #stage { position: absolute; inset: 0; overflow: auto; outline-offset: -3px } #stage svg { display: block; margin: 0 auto }
#stage.moves { overflow: hidden; touch-action: none; cursor: grab; user-select: none } #stage.moves svg { width: 100%; height: 100% }
.tools { position: absolute; right: 1rem; bottom: 1rem; display: flex; flex-direction: column; gap: .35rem }
button { font: inherit; font-size: 1.05rem; min-width: 2.3rem; height: 2.3rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 9px; cursor: pointer }
#fit { font-size: .8rem }
footer { border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; padding: .45rem 1.25rem; font-size: .82rem; color: var(--quiet) }
footer details[open] { flex-basis: 100% } summary { cursor: pointer } .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; align-items: center; flex: 1 } .legend span { display: inline-flex; gap: .35rem; align-items: center }
.table { max-height: 38vh; overflow: auto } table { border-collapse: collapse; margin: .4rem 0; color: var(--ink) } th, td { text-align: left; vertical-align: top; padding: .25rem 1.2rem .25rem 0; border-top: 1px solid var(--line) } td { overflow-wrap: anywhere }
#key { margin: 12vh auto; max-width: 26rem; padding: 0 1.25rem } #key input { font: inherit; width: 100%; padding: .5rem .7rem; margin: .6rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: var(--ink) } #key button { padding: 0 1rem }
[hidden] { display: none }
`;

const PAGE_STYLE = STYLE + FLOW_STYLE;

export type SeenRun = { readonly run: Run; readonly progress: RunProgress; readonly nowMs: number };
export type Page = { readonly html: string; readonly policy: string };

/** The page of a flow, or of a run of it. */
export function pageOf(definition: FlowDefinition, seen?: SeenRun): Promise<Page> {
  const { name, description } = definition;
  const { warnings } = flowStructure(definition);
  const diagram = diagramOf(definition);
  const title = seen === undefined ? name : `${name}, run ${seen.run.id}`;
  const data = seen === undefined ? {} : { progress: seen.progress, nowMs: seen.nowMs };
  return page(
    title,
    `<header><h1>${escapeMarkup(name)}</h1>${seen === undefined ? "" : runLine(seen)}${description === undefined ? "" : `<p class="about">${escapeMarkup(description)}</p>`}<p class="counts">${countsOf(definition)}</p></header>
<div class="view"><main id="stage" tabindex="0" aria-label="Picture of the flow. Arrow keys move it, plus and minus zoom, 0 shows all of it.">${drawFlow(definition, { ...seen, isPart: true })}</main>
<div class="tools"><button id="in" title="Larger (+)" aria-label="Larger">+</button><button id="out" title="Smaller (-)" aria-label="Smaller">−</button><button id="fit" title="All of it (0)">Fit</button></div></div>
<footer>${legend(diagram, seen !== undefined)}<details><summary>As a list</summary><div class="table">${table(diagram, seen)}</div></details>${remarks(warnings)}</footer>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`,
  );
}

/** Returns the page for callers without a key: it contains only the question for a key. */
export function lockedPage(): Promise<Page> {
  return page(
    "Edgecrew",
    `<form id="key" hidden><h1>A key is needed</h1><p id="key-message" role="alert"></p>
<label>API key<input type="password" autocomplete="off" required></label><button>Show</button></form>
<main id="stage"></main><noscript>This page needs its script to send a key.</noscript>`,
  );
}

async function page(title: string, body: string): Promise<Page> {
  const script = pageScript();
  const policy = [
    "default-src 'none'",
    `script-src ${await integrityOf(script)}`,
    `style-src ${await integrityOf(PAGE_STYLE)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeMarkup(title)}</title><style>${PAGE_STYLE}</style></head><body>
${body}
<script>${script}</script></body></html>`;
  return { html, policy };
}

function runLine({ run, progress }: SeenRun): string {
  return `<p><span id="status" data-status="${progress.status}" role="status">${progress.status}</span> run <code>${escapeMarkup(run.id)}</code>, begun ${escapeMarkup((run.startedAt ?? run.createdAt).slice(0, 19).replace("T", " "))} UTC <span id="live"></span></p>`;
}

const KIND_MEANS: Readonly<Record<Kind, string>> = {
  start: "start",
  router: "router",
  human: "asks a person",
  listener: "listens",
};

function legend({ nodes, links }: Diagram, isRun: boolean): string {
  const methods = nodes.filter((node) => node.kind === "method");
  const kinds = (Object.keys(KIND_MEANS) as Kind[]).filter((kind) =>
    methods.some((node) => node.kind === "method" && kindOf(node) === kind),
  );
  const joins = new Set(nodes.flatMap((node) => (node.kind === "label" ? [] : (node.join ?? []))));
  const hasLabels = nodes.some((node) => node.kind === "label" && node.isKnown);
  const hasUnknown = nodes.some((node) => node.kind === "label" && !node.isKnown);
  const items = [
    ...kinds.map(
      (kind) =>
        `<span>${sample(24, 24, `<g class="as-${kind}"><rect class="tile" width="24" height="24" rx="7"/><path class="icon" d="${ICONS[kind]}"/></g>`)}${KIND_MEANS[kind]}</span>`,
    ),
    ...(hasLabels
      ? [`<span>${sample(52, 22, pill("pill", "label"))}label from a router or a person</span>`]
      : []),
    ...(hasUnknown
      ? [`<span>${sample(52, 22, pill("pill maybe", "label"))}not named by emit</span>`]
      : []),
    ...(["AND", "OR", "RACE"] as const)
      .filter((join) => joins.has(join))
      .map(
        (join) =>
          `<span>${sample(36, 18, `<g class="join ${join.toLowerCase()}"><rect x="1" y="1" width="34" height="16" rx="8"/><text x="18" y="12.2">${join}</text></g>`)}${{ AND: "all of them", OR: "any of them", RACE: "the first, the others are dropped" }[join]}</span>`,
      ),
    ...(links.some(({ isBack }) => isBack)
      ? [
          `<span>${sample(24, 12, '<path class="link back" d="M1 6h22"/>')}back to where it was</span>`,
        ]
      : []),
    ...(isRun ? stateSamples() : []),
  ];
  return `<div class="legend" aria-label="Legend">${items.join("")}</div>`;
}

function stateSamples(): string[] {
  const shown = ["done", "running", "waiting", "failed", "stopped"] as const;
  return shown.map(
    (state) =>
      `<span>${sample(12, 12, `<g class="${state}"><path class="sign" d="${SIGNS[state]}"/></g>`)}${state}</span>`,
  );
}

function sample(width: number, height: number, content: string): string {
  return `<svg class="ecf" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true">${content}</svg>`;
}

function pill(classes: string, text: string): string {
  return `<g class="${classes}"><rect x="1" y="1" width="50" height="20" rx="10"/><text x="26" y="14.8">${text}</text></g>`;
}

function table({ nodes }: Diagram, seen: SeenRun | undefined): string {
  const rows = nodes.flatMap((node) => (node.kind === "method" ? [row(node, seen)] : []));
  const run = seen === undefined ? "" : "<th>In this run</th>";
  return `<table><thead><tr><th>Method</th><th>Type</th><th>After</th><th>Gives</th>${run}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function row(node: MethodNode, seen: SeenRun | undefined): string {
  const { id, name, method, routes } = node;
  const condition = conditionOf(method);
  const labels = knownLabels(method);
  const what = [
    KIND_MEANS[kindOf(node)],
    ...(method.humanFeedback === undefined ? [] : [`“${method.humanFeedback.message}”`]),
    ...(method.description === undefined ? [] : [method.description]),
  ].join(": ");
  const gives =
    labels.length > 0 ? labels.join(" or ") : routes ? "labels that it does not name" : "";
  const progress = seen && progressOf(seen.progress, name);
  const cells = [`<code>${escapeMarkup(name)}</code>`, escapeMarkup(what)];
  cells.push(escapeMarkup(condition === undefined ? "" : inWords(condition)), escapeMarkup(gives));
  const columns = cells.map((cell) => `<td>${cell}</td>`).join("");
  if (seen === undefined || progress === undefined) return `<tr>${columns}</tr>`;
  const { text, time } = describeProgress(progress, seen.progress.status, seen.nowMs);
  const said = `${text}${time === "" ? "" : `, ${time}`}${progress.error === null ? "" : `: ${progress.error}`}`;
  return `<tr>${columns}<td id="row-${id}">${escapeMarkup(said)}</td></tr>`;
}

function remarks(warnings: readonly string[]): string {
  if (warnings.length === 0) return "";
  const items = warnings.map((warning) => `<li>${escapeMarkup(warning)}</li>`).join("");
  return `<details><summary>${warnings.length === 1 ? "One remark" : `${warnings.length} remarks`}</summary><ul>${items}</ul></details>`;
}
