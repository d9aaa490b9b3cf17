// Pictures of flows and of their runs. The first request for a picture loads the drawing code.
import type { BoundPart } from "../../parts/part.ts";
import type { Run } from "../../runtime/run.ts";
import type { ServedFlow } from "../served-flow.ts";
import type { PlotFormat } from "../plot/picture.ts";
import { flowPlotShape } from "./shapes.ts";
import { problemShape } from "../../parts/problem-shape.ts";

export const PLOT = {
  description: "The picture, in the requested format",
  shape: flowPlotShape,
  types: ["text/html", "image/svg+xml", "text/plain"],
} as const;

export type PlotRequest = {
  /** @default by the caller's `Accept` header; a page without one */
  readonly format: PlotFormat | undefined;
  readonly run?: {
    readonly run: Run;
    /** The stream of the run's events with this query. */
    readonly events: (query: string) => Promise<Response>;
    readonly nowMs: number;
  };
};

/** Answers the picture of a flow, or of a run of it. */
export async function plotAnswer(
  request: Request,
  flow: ServedFlow,
  { format = acceptedFormat(request), run }: PlotRequest,
): Promise<Response> {
  return pictureAnswer(
    await flow.picture({ format, ...(run === undefined ? undefined : { run }) }),
    200,
  );
}

type Picture = Awaited<ReturnType<ServedFlow["picture"]>>;

function pictureAnswer({ body, headers }: Picture, status: number, more?: Headers): Response {
  const all = new Headers(more);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  all.set("vary", "Accept");
  all.set("cache-control", "no-store");
  all.set("x-content-type-options", "nosniff");
  return new Response(body, { status, headers: all });
}

/** Returns the first supported type in the `Accept` header. Browsers name HTML for a page, and images for an image. */
function acceptedFormat({ headers }: Request): PlotFormat {
  const types = headers.get("accept") ?? "";
  if (types.includes("text/html")) return "html";
  if (types.includes("image/")) return "svg";
  if (types.includes("application/json")) return "json";
  return types.includes("text/plain") || types.includes("mermaid") ? "mermaid" : "html";
}

/**
 * A browser cannot send a key with an address. A person who opens a picture without a key therefore gets a page that
 * only asks for the key.
 */
export function plotProblems(
  flows: Readonly<Record<string, ServedFlow>>,
): NonNullable<BoundPart["problems"]> {
  return {
    matches: (path) => /^\/(flows|runs)\/[^/]+\/plot\/?$/.test(path),
    form: () => ({
      shape: problemShape,
      shapeType: "application/problem+json",
      types: ["text/html"],
    }),
    answer: async (problem, request) => {
      const [flow] = Object.values(flows);
      const format = new URL(request.url).searchParams.get("format") ?? acceptedFormat(request);
      const isOpened = request.headers.get("accept")?.includes("text/html") ?? false;
      if (problem.status !== 401 || flow === undefined || format !== "html" || !isOpened)
        return problem;
      return pictureAnswer(await flow.picture("locked"), problem.status, problem.headers);
    },
  };
}
