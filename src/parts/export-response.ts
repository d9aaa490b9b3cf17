// The answer with a whole run: sent while it is read.
import type { ExportHead } from "../runtime/export-page.ts";
import { exportStream } from "../runtime/export-stream.ts";
import type { RunAddress, RunDirectory } from "../runtime/run-directory.ts";

export const NDJSON = "application/x-ndjson";

/**
 * Exports a run as JSON, or as lines for a client that accepts these. `shown` limits the run to the fields the caller
 * may see.
 */
export async function exportResponse(
  runs: Pick<RunDirectory, "exportPage">,
  [tenant, id]: RunAddress,
  {
    request,
    values,
    shown = (head) => head,
  }: {
    readonly request: Request;
    readonly values?: boolean | undefined;
    readonly shown?: (head: ExportHead) => ExportHead;
  },
): Promise<Response> {
  const first = await runs.exportPage(tenant, id, { values });
  const { head } = first;
  if (head === undefined) throw new Error("the first page of an export has its head");
  const isLines = request.headers.get("accept")?.toLowerCase().includes(NDJSON) === true;
  const body = exportStream(
    { ...first, head: shown(head) },
    (place) => runs.exportPage(tenant, id, { values, place }),
    isLines ? "lines" : "json",
  );
  return new Response(body, {
    headers: {
      "content-type": isLines ? NDJSON : "application/json",
      "content-disposition": `attachment; filename="${id}.${isLines ? "ndjson" : "json"}"`,
      vary: "Accept",
    },
  });
}
