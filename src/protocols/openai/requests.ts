// What requests of both APIs have in common beside their bodies.
//
//   OQ1. A request with an Idempotency-Key starts one run, however often it is sent; with another body it is a conflict.
//   OQ2. Whoever leaves before the end cancels the run, unless the request can be sent again by its key, or asked to run in the background.
import { noted } from "../../base/log.ts";
import { digestText } from "../../base/bytes.ts";
import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { fieldsOf, type AskedSettings } from "../../parts/answer-settings.ts";
import { ignoredHeader, type SettledSettings } from "../../parts/ignored-header.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import type { Outcome } from "./outcome.ts";
import type { Turns } from "./turns.ts";
import { runIdFor } from "../protocol-runs.ts";
import { backWithinMs, hasLaterTry } from "./sdk-retries.ts";
import type { FoundTurn } from "./turn-for.ts";

/** What tells a request from others. */
export type RequestIdentity = {
  /** The run's id; undefined for a request without a key. */
  readonly id?: string;
  /** Of the body; kept with the run. */
  readonly digest: string;
};

/** Reads `Idempotency-Key`. `api` keeps keys of the APIs apart. */
export async function identityOf(
  { raw, callerId }: Pick<OperationRequest, "raw" | "callerId">,
  api: string,
  body: object,
): Promise<RequestIdentity> {
  const key = raw.headers.get("idempotency-key")?.trim() ?? "";
  const digest = await digestText(JSON.stringify(body));
  return key === "" ? { digest } : { id: runIdFor("openai", api, callerId, key), digest };
}

/** Throws `conflict` for a run that another body with the same key has started (OQ1). */
export function checkSame(kept: unknown, { digest }: RequestIdentity): void {
  if (kept !== digest)
    throw new EngineError(
      "conflict",
      "this Idempotency-Key was used with another body: send another key",
    );
}

const MAX_THREAD_ID = 128;

/** The conversation that a client names itself, in a header or in `metadata.thread_id`. */
export function threadIn(
  { headers }: Request,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const named = headers.get("x-thread-id") ?? metadata?.["thread_id"];
  return typeof named === "string" && named !== "" ? named.slice(0, MAX_THREAD_ID) : undefined;
}

/** Cancels a run that nobody listens to any more. */
export function cancelling(host: PartHost, handle: RunHandle): () => Promise<void> {
  const cancel = async (): Promise<void> => {
    try {
      await handle.cancel("the client has left");
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "conflict")
        host.report(noted(error, "request_failed"));
    }
  };
  return () => outliving(host, cancel());
}

/**
 * Ends the run of a client that has left (OQ2). One that repeats its requests by itself has time to come back, unless it has read
 * something of its answer (OR4).
 */
export function leaving(
  host: PartHost,
  turns: Turns,
  about: {
    readonly tenant: string;
    readonly found: FoundTurn;
    readonly hasRead?: () => boolean;
  },
): () => Promise<void> {
  const { tenant, found, hasRead = () => false } = about;
  const { turn, endsWithClient, tried } = found;
  if (!endsWithClient) return staying;
  const { runId } = turn.thread;
  const cancel = cancelling(host, turns.runs.handle(tenant, runId));
  if (tried === undefined) return cancel;
  const wait = async (): Promise<void> => {
    await sleep(host.clock, backWithinMs(tried));
    const kept = await turns.kept(tenant, runId);
    if (!hasLaterTry(kept.keys(), tried)) await cancel();
  };
  return async () => {
    if (hasRead()) return cancel();
    // Not awaited: a stream that is cancelled would stay open as long.
    void outliving(host, wait());
  };
}

/** Work that the Worker does not stop with the request: whoever leaves while a run starts would leave it behind. */
export function outliving<Result>(host: PartHost, work: Promise<Result>): Promise<Result> {
  host.background?.(Promise.allSettled([work]));
  return work;
}

/** Follows a turn to its end. Undefined when the signal ends it before. */
export type Follow = (
  options: Omit<Parameters<Turns["follow"]>[1], "tenant">,
) => Promise<Outcome | undefined>;

/** The answer to a request that is not streamed. */
export async function wholeAnswer(
  about: {
    readonly raw: Request;
    readonly leave: () => Promise<void>;
    readonly follow: Follow;
    readonly asked: AskedSettings;
    readonly terms: SettledSettings;
  },
  shown: (outcome: Outcome) => object,
): Promise<Response> {
  const { raw, leave, follow, asked, terms } = about;
  const { signal } = raw;
  const onAbort = (): void => void leave();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) await leave();
  const outcome = await follow({ signal });
  // A client that has its answer may leave: its run may wait for it.
  signal.removeEventListener("abort", onAbort);
  if (outcome === undefined) return new Response(null, { status: CLIENT_LEFT });
  const ignored = [...terms.ignored, ...fieldsOf(asked, outcome.ignored ?? [])];
  return Response.json(shown(outcome), { headers: ignoredHeader(ignored) });
}

/** Nobody receives it. */
const CLIENT_LEFT = 499;

/** For a run that goes on without its client. */
export async function staying(): Promise<void> {}
