// Picture of a flow in the requested format. Loaded on the first request, because no other code needs it.
import type { FlowDefinition } from "../flow-definition.ts";
import type { Run } from "../../runtime/run.ts";
import { drawFlow } from "./draw-flow.ts";
import { FLOW_STYLE } from "./flow-style.ts";
import { flowStructure } from "./flow-structure.ts";
import { mermaidOf } from "./mermaid.ts";
import { lockedPage, pageOf } from "./plot-page.ts";
import {
  describeProgress,
  PROGRESS_EVENTS,
  readProgress,
  type MethodState,
  type RunProgress,
} from "./run-progress.ts";
import { integrityOf } from "./integrity.ts";

/** A page with everything in it, an image, Mermaid's text, or the structure as JSON. */
export type PlotFormat = "html" | "svg" | "mermaid" | "json";

/** A run of the flow. */
export type PlottedRun = {
  readonly run: Run;
  /** The stream of its events with this query. */
  readonly events: (query: string) => Promise<Response>;
  /** End time for running methods. */
  readonly nowMs: number;
};

export type PlotRequest = {
  readonly format: PlotFormat;
  readonly run?: PlottedRun;
};

/** A picture ready to send. */
export type Picture = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Progress of one method in a run. */
export type MethodReport = {
  readonly state: MethodState;
  /** Begun executions. */
  readonly count: number;
  /** Duration of the ended executions, in milliseconds. */
  readonly durationMs: number;
  /** Number of returns of each label, for a router. */
  readonly labels?: Readonly<Record<string, number>>;
  /** Open waits of the method. */
  readonly waits?: ReadonlyArray<{
    readonly key: string;
    readonly kind: string;
    readonly prompt: string;
  }>;
  readonly error?: string;
};

/** Draws a flow, or a run of it. */
export async function drawPicture(
  definition: FlowDefinition,
  { format, run: request }: PlotRequest,
): Promise<Picture> {
  const progress = request && (await progressIn(definition, request));
  const seen = request && progress && { run: request.run, progress, nowMs: request.nowMs };
  switch (format) {
    case "html":
      return page(await pageOf(definition, seen));
    case "svg":
      return {
        body: drawFlow(definition, seen),
        headers: {
          "content-type": "image/svg+xml; charset=utf-8",
          "content-security-policy": `default-src 'none'; style-src ${await integrityOf(FLOW_STYLE)}`,
        },
      };
    case "mermaid":
      return {
        body: mermaidOf(definition, progress),
        headers: { "content-type": "text/plain; charset=utf-8" },
      };
    case "json": {
      const structure = flowStructure(definition);
      const shown = seen === undefined ? structure : { ...structure, run: runReport(seen) };
      return {
        body: JSON.stringify(shown),
        headers: { "content-type": "application/json" },
      };
    }
    default:
      return format satisfies never;
  }
}

async function progressIn(
  definition: FlowDefinition,
  { events }: PlottedRun,
): Promise<RunProgress> {
  const { body } = await events(`follow=0&types=${PROGRESS_EVENTS.join(",")}`);
  return readProgress(definition, body);
}

/** Returns a page without data: it asks for a key and then loads the picture with it. */
export async function lockedPicture(): Promise<Picture> {
  return page(await lockedPage());
}

function page({ html, policy }: { html: string; policy: string }): Picture {
  return {
    body: html,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
    },
  };
}

function runReport({ run, progress }: { run: Run; progress: RunProgress }) {
  const { id, status, createdAt, startedAt, finishedAt } = run;
  const methods = Object.entries(progress.methods).map(([name, method]): [string, MethodReport] => {
    const { count, durationMs, labels, waits, error } = method;
    const open = Object.entries(waits).map(([key, wait]) => ({ key, ...wait }));
    const { state } = describeProgress(method, progress.status, null);
    return [
      name,
      {
        state,
        count,
        durationMs,
        ...(labels === null ? undefined : { labels }),
        ...(open.length === 0 ? undefined : { waits: open }),
        ...(error === null ? undefined : { error }),
      },
    ];
  });
  return {
    id,
    status,
    createdAt,
    ...(startedAt === undefined ? undefined : { startedAt }),
    ...(finishedAt === undefined ? undefined : { finishedAt }),
    methods: Object.fromEntries(methods),
  };
}
