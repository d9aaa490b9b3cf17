import { EngineError } from "../base/error.ts";
import { isTerminal, type Run, type RunStart } from "../runtime/run.ts";
import { startTrace } from "../runtime/run-trace.ts";
import type { ChangeAnswer, StartAnswer, StartedAnswer } from "./documented-runs.ts";
import type { OperationRequest } from "./operation.ts";
import type { PartHost } from "./part.ts";
import { preferredWait } from "./prefer.ts";
import { sealedTargets } from "./webhook-targets.ts";
import { mayRead, seesEarlier } from "./rights.ts";
import { sameRun, shownRun } from "./same-run.ts";
import { requestedRunId, startedRun } from "./started-run.ts";

type Starter = Pick<PartHost, "runs" | "randomId" | "clock"> & Partial<Pick<PartHost, "placeOf">>;
type StartRequest = Pick<OperationRequest, "tenant" | "raw" | "scopes" | "via" | "wish">;
type StartOptions = Omit<RunStart, "id" | "tenant">;

/**
 * Starts a run, or finds it by its id. Responds immediately, after the requested wait (`Prefer: wait=N`), or with the
 * run's events (`Accept: text/event-stream`).
 */
export async function startRun(
  host: Starter,
  request: StartRequest,
  { id, ...start }: StartOptions & { readonly id?: string | undefined },
): Promise<StartAnswer> {
  const requested = requestedRunId(id, request.raw);
  return startRunAs(host, request, { ...start, id: requested ?? host.randomId() });
}

/** Like `startRun`, with a known id. Throws `conflict` for the id of a run with other work. */
async function startRunAs(
  host: Starter,
  request: StartRequest,
  { id, webhooks: targets, ...start }: StartOptions & { readonly id: string },
): Promise<StartAnswer> {
  const { tenant, raw } = request;
  const rules = targets === undefined ? undefined : host.placeOf?.(tenant).environment.definitions;
  const webhooks = await sealedTargets(targets, { rules, owner: `${tenant}/run/${id}` });
  const trace = startTrace(raw.headers.get("traceparent"));
  const whole = { ...start, ...webhooks, ...trace, id, tenant };
  return answerStarted(host, request, {
    id,
    begin: async (settleMs) => sameRun(await host.runs.start(whole, settleMs), start),
  });
}

/** A run that is about to begin. */
export type BeginningRun = {
  readonly id: string;
  /** Starts or forks it, or finds it by its id; may wait so long for its end. */
  readonly begin: (settleMs: number | undefined) => Promise<Run>;
  /** True if the run takes over contents of an earlier run, session or state (RIG3). @default false */
  readonly takesOver?: boolean;
};

/** Begins a run, and answers as `Prefer`, `Accept` and the caller's scopes have it. */
export async function answerStarted(
  { runs, clock }: Pick<Starter, "runs" | "clock">,
  request: StartRequest,
  { id, begin, takesOver = false }: BeginningRun,
): Promise<StartAnswer> {
  const { tenant, raw, wish } = request;
  const isShown = seesEarlier(request) || !(takesOver || (await exists(runs, tenant, id)));
  if (isShown) wish?.forOwnRun();
  wish?.check();
  const isStream = wantsEvents(raw);
  const waitSeconds = isShown && !isStream ? preferredWait(raw.headers.get("prefer")) : undefined;
  const waitMs = waitSeconds === undefined ? undefined : waitSeconds * 1000;
  const askedAtMs = clock.now();
  const run = await begin(waitMs);
  const location = { location: `/runs/${id}` };
  if (isShown && isStream)
    return withHeaders(await runs.events(tenant, id, eventsRequest(raw, id)), location);
  if (waitMs === undefined) return startedAnswer(run);
  // An earlier run was not waited for above.
  const leftMs = isTerminal(run.status) ? 0 : askedAtMs + waitMs - clock.now();
  const latest = leftMs > 0 ? await runs.settled(tenant, id, leftMs) : run;
  if (!isTerminal(latest.status)) return startedAnswer(latest);
  const applied = { "preference-applied": `wait=${waitSeconds}` };
  return { status: 200, json: shownRun(latest), headers: { ...location, ...applied } };
}

/** True for a request whose answer is the event stream of its run. */
export function wantsEvents({ headers }: Request): boolean {
  return headers.get("accept")?.includes("text/event-stream") === true;
}

async function exists(runs: Starter["runs"], tenant: string, id: string): Promise<boolean> {
  try {
    await runs.get(tenant, id);
    return true;
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return false;
    throw error;
  }
}

/** Returns the current run; for a caller without the scope `read`, its id, status and links. */
export function changedAnswer(
  run: Run,
  { scopes }: Pick<OperationRequest, "scopes">,
): ChangeAnswer {
  return { status: 200, json: mayRead(scopes) ? shownRun(run) : startedRun(run) };
}

/** 202, with links to the run. */
export function startedAnswer(run: Pick<Run, "id" | "status" | "entry">): StartedAnswer {
  return { status: 202, json: startedRun(run), headers: { location: `/runs/${run.id}` } };
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const all = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return new Response(response.body, { status: response.status, headers: all });
}

/** Builds the request for the run's events implied by a kickoff with `Accept: text/event-stream`. */
function eventsRequest(request: Request, id: string): Request {
  const url = new URL(request.url);
  url.pathname = `/runs/${id}/events`;
  const headers = new Headers({ accept: "text/event-stream" });
  const lastEventId = request.headers.get("last-event-id");
  if (lastEventId !== null) headers.set("last-event-id", lastEventId);
  return new Request(url, { headers, signal: request.signal });
}
