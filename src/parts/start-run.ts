import { isTerminal, type Run, type RunStart } from "../runtime/run.ts";
import type { OperationAnswer, OperationRequest } from "./operation.ts";
import type { PartHost } from "./part.ts";
import { preferredWait } from "./prefer.ts";
import { requestedRunId, startedRun } from "./started-run.ts";

type Starter = Pick<PartHost, "runs" | "randomId">;
type What = Omit<RunStart, "id" | "tenant">;

/**
 * Starts a run, or finds it by its id, and answers as the caller asked: at once, after a while (`Prefer: wait=N`), or with its events
 * (`Accept: text/event-stream`).
 */
export async function startRun(
  host: Starter,
  request: Pick<OperationRequest, "tenant" | "raw">,
  { id, ...what }: What & { readonly id?: string | undefined },
): Promise<OperationAnswer> {
  const requested = requestedRunId(id, request.raw);
  return startRunAs(host, request, { ...what, id: requested ?? host.randomId() });
}

/** As `startRun`, with an id that is settled. */
export async function startRunAs(
  { runs }: Starter,
  { tenant, raw }: Pick<OperationRequest, "tenant" | "raw">,
  { id, ...what }: What & { readonly id: string },
): Promise<OperationAnswer> {
  const run = await runs.start({ ...what, id, tenant });
  const location = { location: `/runs/${id}` };
  if (raw.headers.get("accept")?.includes("text/event-stream"))
    return withHeaders(await runs.events(tenant, id, eventsRequest(raw, id)), location);
  const waitSeconds = preferredWait(raw.headers.get("prefer"));
  const latest =
    waitSeconds === undefined ? run : await runs.settled(tenant, id, waitSeconds * 1000);
  if (waitSeconds === undefined || !isTerminal(latest.status)) return startedAnswer(latest);
  const applied = { "preference-applied": `wait=${waitSeconds}` };
  return { status: 200, json: latest, headers: { ...location, ...applied } };
}

/** 202, with where to follow the run. */
export function startedAnswer(run: Pick<Run, "id" | "status" | "entry">): OperationAnswer {
  return { status: 202, json: startedRun(run), headers: { location: `/runs/${run.id}` } };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(response.body, { status: response.status, headers: all });
}

/** The request for a run's events that a kickoff with `Accept: text/event-stream` stands for. */
function eventsRequest(request: Request, id: string): Request {
  const url = new URL(request.url);
  url.pathname = `/runs/${id}/events`;
  const headers = new Headers({ accept: "text/event-stream" });
  const lastEventId = request.headers.get("last-event-id");
  if (lastEventId !== null) headers.set("last-event-id", lastEventId);
  return new Request(url, { headers, signal: request.signal });
}
