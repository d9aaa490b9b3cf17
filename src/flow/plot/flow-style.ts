// Colours and fonts of pictures, for bright and dark surroundings. Written without custom properties, which many SVG
// renderers do not support.

type Palette = {
  readonly paper: string;
  readonly ink: string;
  readonly quiet: string;
  readonly faint: string;
  readonly card: string;
  readonly line: string;
  readonly link: string;
  readonly and: string;
  readonly back: string;
  readonly start: string;
  readonly router: string;
  readonly human: string;
  readonly running: string;
  readonly waiting: string;
  readonly done: string;
  readonly failed: string;
  /** Opacity of the tint over the card's colour. */
  readonly tint: number;
};

const LIGHT: Palette = {
  paper: "#fbfaf7",
  ink: "#1f2328",
  quiet: "#5f6670",
  faint: "#8d939b",
  card: "#ffffff",
  line: "#d8d3c8",
  link: "#9aa1aa",
  and: "#b26a00",
  back: "#8a63d2",
  start: "#177245",
  router: "#8a4b08",
  human: "#a8326e",
  running: "#0b6bcb",
  waiting: "#a35c00",
  done: "#177245",
  failed: "#b3261e",
  tint: 0.1,
};

const DARK: Palette = {
  paper: "#16181b",
  ink: "#e9e8e4",
  quiet: "#a6abb2",
  faint: "#7d838b",
  card: "#212429",
  line: "#3a3f46",
  link: "#6c737c",
  and: "#e0a04a",
  back: "#b59af0",
  start: "#5cc48e",
  router: "#e2a567",
  human: "#f08fbd",
  running: "#6cb2ff",
  waiting: "#f0b35a",
  done: "#5cc48e",
  failed: "#ff8a80",
  tint: 0.16,
};

const MONO = `ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace`;
const SANS = `system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif`;

function colours(p: Palette): string {
  const states = (["running", "waiting", "done", "failed"] as const).map(
    (state) =>
      `.ecf .${state} .card{stroke:${p[state]}}.ecf .${state} .tile{fill:${p[state]}}.ecf .${state} .icon{stroke:${p[state]}}` +
      `.ecf .${state} .state{fill:${p[state]}}.ecf .${state} .sign{stroke:${p[state]}}`,
  );
  const kinds = (["start", "router", "human"] as const).map(
    (kind) => `.ecf .as-${kind} .tile{fill:${p[kind]}}.ecf .as-${kind} .icon{stroke:${p[kind]}}`,
  );
  return [
    `.ecf .paper{fill:${p.paper}}.ecf .title,.ecf .name{fill:${p.ink}}.ecf .about,.ecf .sub,.ecf .state,.ecf .time{fill:${p.quiet}}`,
    `.ecf .card{fill:${p.card};stroke:${p.line}}.ecf .tile{fill:${p.faint};fill-opacity:${p.tint}}.ecf .icon,.ecf .sign{stroke:${p.quiet}}`,
    `.ecf .link{stroke:${p.link}}.ecf .arrow{fill:${p.link}}.ecf .link.and{stroke:${p.and}}.ecf .arrow.and{fill:${p.and}}.ecf .link.back{stroke:${p.back}}`,
    `.ecf .join rect{fill:${p.card};stroke:${p.link}}.ecf .join text{fill:${p.quiet}}`,
    `.ecf .join.and rect{fill:${p.and};stroke:${p.and}}.ecf .join.and text{fill:${p.card}}`,
    `.ecf .join.race rect{fill:${p.ink};stroke:${p.ink}}.ecf .join.race text{fill:${p.card}}`,
    `.ecf .pill rect{fill:${p.card};stroke:${p.router}}.ecf .pill text{fill:${p.router}}`,
    `.ecf .pill.by-human rect{stroke:${p.human}}.ecf .pill.by-human text{fill:${p.human}}`,
    `.ecf .pill.unheard rect{stroke:${p.faint}}.ecf .pill.unheard text{fill:${p.quiet}}`,
    ...kinds,
    ...states,
    `.ecf.run .walked{stroke:${p.quiet}}.ecf.run .arrow.walked{fill:${p.quiet};stroke:none}`,
    `.ecf .pill.given rect{fill:${p.quiet};stroke:${p.quiet}}.ecf .pill.given text{fill:${p.card}}`,
    `.ecf .node:focus-visible .card,.ecf .lit .card{stroke:${p.ink}}.ecf.picked .link.lit{stroke:${p.ink}}.ecf.picked .arrow.lit{fill:${p.ink}}`,
  ].join("");
}

/** The rules for everything inside of `.ecf`. */
export const FLOW_STYLE =
  `.ecf text{font-family:${SANS};font-size:11px}.ecf .title{font-size:18px;font-weight:650}.ecf .about{font-size:12px}` +
  `.ecf .name{font-family:${MONO};font-size:13px;font-weight:600}.ecf .pill text{font-family:${MONO};font-size:11.5px;text-anchor:middle}` +
  `.ecf .join text{font-size:9px;font-weight:700;letter-spacing:.06em;text-anchor:middle}.ecf .time{text-anchor:end}.ecf .state{font-weight:600}` +
  `.ecf .card{stroke-width:1.2}.ecf .link{fill:none;stroke-width:1.5}.ecf .icon,.ecf .sign{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}` +
  `.ecf .pill rect,.ecf .join rect{stroke-width:1.2}.ecf .maybe{stroke-dasharray:4 4}.ecf .pill.maybe rect{stroke-dasharray:4 3}.ecf .pill.maybe{stroke-dasharray:none}` +
  `.ecf .pill.unheard rect{stroke-dasharray:2 3}.ecf .node{outline:none}` +
  `.ecf .running .card,.ecf .waiting .card,.ecf .failed .card{stroke-width:2.2}.ecf .walked{stroke-width:2.2}.ecf .given text{font-weight:700}` +
  `.ecf.run .idle{opacity:.7}.ecf .node:focus-visible .card,.ecf .lit .card,.ecf .link.lit{stroke-width:2.4}` +
  `.ecf.picked .node:not(.lit),.ecf.picked .link:not(.lit),.ecf.picked .arrow:not(.lit){opacity:.28}` +
  `@keyframes ecf{50%{stroke-opacity:.35}}@media (prefers-reduced-motion:no-preference){.ecf .running .card{animation:ecf 1.6s ease-in-out infinite}}` +
  colours(LIGHT) +
  `@media (prefers-color-scheme:dark){${colours(DARK)}}`;

/** Colours for the page around a picture. */
export const PAGE_COLOURS = { light: LIGHT, dark: DARK };
