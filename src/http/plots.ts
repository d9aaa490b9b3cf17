// Pictures of flows and of their runs. What draws them comes with the flows: a Worker without flows does not carry it.
import type { Context } from "hono";
import type { BuiltFlow } from "../flow/built-flow.ts";
import type { PlotFormat } from "../flow/plot/picture.ts";
import type { Run } from "../runtime/run.ts";
import type { HttpEnv } from "./services.ts";

export type PlotOf = {
  /** @default what the caller accepts; a page for whoever does not say */
  readonly format: PlotFormat | undefined;
  readonly run?: Run;
  /** The stream of the run's events with this query. */
  readonly events?: (query: string) => Promise<Response>;
};

/** Answers the picture of a flow, or of a run of it. */
export async function sendPlot(
  c: Context<HttpEnv>,
  flow: BuiltFlow,
  { format = accepted(c), run, events }: PlotOf,
): Promise<Response> {
  const picture = await flow.picture({
    format,
    ...(run === undefined || events === undefined
      ? undefined
      : { run: { run, events, nowMs: c.var.services.clock.now() } }),
  });
  return answer(picture, 200);
}

type Sent = Awaited<ReturnType<BuiltFlow["picture"]>>;

function answer({ body, headers }: Sent, status: number, more?: Headers): Response {
  const all = new Headers(more);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  all.set("vary", "Accept");
  all.set("cache-control", "no-store");
  all.set("x-content-type-options", "nosniff");
  return new Response(body, { status, headers: all });
}

/** The first of our types that the caller names. Browsers name HTML when they open a page, and images when they want one. */
function accepted(c: Context<HttpEnv>): PlotFormat {
  const types = c.req.header("accept") ?? "";
  if (types.includes("text/html")) return "html";
  if (types.includes("image/")) return "svg";
  if (types.includes("application/json")) return "json";
  return types.includes("text/plain") || types.includes("mermaid") ? "mermaid" : "html";
}

export function isPlot(path: string): boolean {
  return /^\/(flows|runs)\/[^/]+\/plot\/?$/.test(path);
}

/** A browser cannot send a key with an address: who opens a picture without one gets a page that asks for it, and nothing else. */
export async function plotProblem(problem: Response, c: Context<HttpEnv>): Promise<Response> {
  const { flows = {} } = c.var.services;
  const [flow] = Object.values(flows);
  const format = c.req.query("format") ?? accepted(c);
  const isOpened = c.req.header("accept")?.includes("text/html") ?? false;
  if (flow === undefined || format !== "html" || !isOpened) return problem;
  return answer(await flow.picture("locked"), problem.status, problem.headers);
}
