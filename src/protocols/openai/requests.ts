// Shared handling of requests of both APIs, apart from their bodies.
//
//   OQ1. A request with an Idempotency-Key starts one run, even if it is sent repeatedly; with another body it is a
//        conflict.
//   OQ2. A client that leaves before the end cancels its run. Exceptions: the request can be repeated by its key, or it
//        asked for a background run.
import { noted } from "../../base/log.ts";
import { digestText } from "../../base/bytes.ts";
import { sleep } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { fieldsOf, type AskedSettings } from "../../parts/answer-settings.ts";
import { ignoredHeader, type SettledSettings } from "../../parts/ignored-header.ts";
import type { OperationRequest } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import type { RunHandle } from "../../runtime/handle/run-handle.ts";
import { packableId } from "./call-ids.ts";
import type { Outcome } from "./outcome.ts";
import type { Turns } from "./turns.ts";
import { runIdFor } from "../protocol-runs.ts";
import type { FoundTurn } from "./found-turn.ts";
import { backWithinMs, hasLaterTry } from "./sdk-retries.ts";

/** Identity of a request. */
export type RequestIdentity = {
  /** The run's id; undefined for a request without a key. */
  readonly id?: string;
  /** Digest of the body, stored with the run. */
  readonly digest: string;
};

/** Reads `Idempotency-Key`. `api` separates the keys of the APIs. */
export async function identityOf(
  { raw, callerId }: Pick<OperationRequest, "raw" | "callerId">,
  api: string,
  body: object,
): Promise<RequestIdentity> {
  const key = raw.headers.get("idempotency-key")?.trim() ?? "";
  const digest = await digestText(JSON.stringify(body));
  if (key === "") return { digest };
  return { id: packableId(runIdFor("openai", api, callerId, key)), digest };
}

/** Fails with `conflict` if another body with the same key has started the run (OQ1). */
export function checkSame(kept: unknown, { digest }: RequestIdentity): void {
  if (kept !== digest)
    throw new EngineError(
      "conflict",
      "this Idempotency-Key was used with another body: send another key",
    );
}

const MAX_THREAD_ID = 128;

/** Returns the client's name of the conversation, from a header or `metadata.thread_id`. */
export function threadIn(
  { headers }: Request,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const named = headers.get("x-thread-id") ?? metadata?.["thread_id"];
  return typeof named === "string" && named !== "" ? named.slice(0, MAX_THREAD_ID) : undefined;
}

/** Returns a function that cancels a run without listeners. */
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
 * Ends the run of a client that has left (OQ2). A client with automatic retries has time to come back, unless it has
 * read a part of its answer (OR4).
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
    // Not awaited, because a cancelled stream would stay open for as long.
    void outliving(host, wait());
  };
}

/**
 * Keeps work alive beyond the request. Otherwise a client that leaves while a run starts would leave the run behind.
 */
export function outliving<Result>(host: PartHost, work: Promise<Result>): Promise<Result> {
  host.background?.(Promise.allSettled([work]));
  return work;
}

/** Follows a turn to its end. Resolves to undefined if the signal aborts first. */
export type Follow = (
  options: Omit<Parameters<Turns["follow"]>[1], "tenant">,
) => Promise<Outcome | undefined>;

/** Returns the answer to an unstreamed request. */
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
  // After its answer a client may leave: its run may wait for it.
  signal.removeEventListener("abort", onAbort);
  if (outcome === undefined) return new Response(null, { status: CLIENT_LEFT });
  const ignored = [...terms.ignored, ...fieldsOf(asked, outcome.ignored ?? [])];
  return Response.json(shown(outcome), { headers: ignoredHeader(ignored) });
}

/** Never received by a client. */
const CLIENT_LEFT = 499;

/** Used for a run that continues without its client. */
export async function staying(): Promise<void> {}
