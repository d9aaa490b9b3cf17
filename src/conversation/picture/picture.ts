import type { ConversationGraph } from "./conversation-graph.ts";
import { mermaidOf } from "./mermaid.ts";
import { svgOf } from "./svg.ts";

/** An image, Mermaid's text, or the graph as JSON. */
export type PictureFormat = "svg" | "mermaid" | "json";

/**
 * Responds with the picture of a conversation: in the requested format, else in one that the caller accepts, else as an
 * image.
 */
export function pictureAnswer(
  graph: ConversationGraph,
  {
    request,
    format = acceptedFormat(request),
  }: { readonly request: Request; readonly format?: PictureFormat | undefined },
): Response {
  const { type, body } = PICTURES[format](graph);
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-security-policy": "default-src 'none'",
      vary: "Accept",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

const PICTURES: Readonly<
  Record<
    PictureFormat,
    (graph: ConversationGraph) => { readonly type: string; readonly body: string }
  >
> = {
  svg: (graph) => ({ type: "image/svg+xml; charset=utf-8", body: svgOf(graph) }),
  mermaid: (graph) => ({ type: "text/plain; charset=utf-8", body: mermaidOf(graph) }),
  json: (graph) => ({ type: "application/json", body: JSON.stringify(graph) }),
};

function acceptedFormat({ headers }: Request): PictureFormat {
  const types = headers.get("accept") ?? "";
  if (types.includes("image/") || types.includes("text/html")) return "svg";
  if (types.includes("application/json")) return "json";
  return types.includes("text/plain") ? "mermaid" : "svg";
}
