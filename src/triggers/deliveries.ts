// Log of webhook deliveries, and its views.
//
//   HDN1. Logging never delays or fails a delivery: it runs after the answer, and its errors are reported.
//   HDN2. Deliveries without a valid signature share one row for each webhook, reason and minute, with a count. They
//         cannot fill the table.
//   HDN3. Deliveries to an unknown webhook are not logged.
//   HDN4. Bodies are stored only for webhooks with `keepBodies`, cut at 64 KiB.
import { isoTime, type Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { noted } from "../base/log.ts";
import { STATUS_BY_CODE } from "../parts/code-answers.ts";
import { HttpError } from "../parts/problem.ts";
import { pageOf } from "../runtime/page.ts";
import type { Page } from "../runtime/run-directory.ts";
import {
  DELIVERY_AGE_MS,
  type DeliveryOutcome,
  type DeliveryStore,
  type StoredDelivery,
} from "./delivery-store.ts";
import type { OpenWebhook, Receipt } from "./webhook-receiver.ts";

/** A delivery in lists. */
export type DeliveryView = Omit<StoredDelivery, "atMs" | "body"> & { readonly at: string };

/** A delivery with its body, if the webhook keeps bodies. */
export type DeliveryDetails = DeliveryView & {
  readonly body?: string;
  /** Full length of a cut body, in bytes. */
  readonly truncated?: number;
};

export type DeliveryPorts = {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly report: (error: unknown) => void;
  readonly background?: ((work: Promise<unknown>) => void) | undefined;
};

const MAX_BODY_BYTES = 64 * 1024;
const MINUTE_MS = 60_000;
const MINUTES_OF_DAY = 1_440;
const DROPPED_AT_MINUTE = 190;
/** A run older than its delivery by more than this difference of clocks was started by an earlier delivery. */
const MAX_SKEW_MS = 10_000;
const MAX_REASON_LENGTH = 500;

export class Deliveries {
  readonly #ports: DeliveryPorts;

  constructor(ports: DeliveryPorts) {
    this.#ports = ports;
  }

  /** Logs a delivery after its answer (HDN1). */
  note(webhook: OpenWebhook, receipt: Receipt, error?: unknown): void {
    if (webhook.isUnknown === true) return;
    const { store, report, background } = this.#ports;
    const { tenant, name } = webhook;
    const work = (async () => {
      await store.add({ tenant, hook: name }, this.#rowOf(webhook, receipt, error));
    })().catch((cause: unknown) =>
      report(noted(cause, "webhook_unusable", { tenant, hook: name })),
    );
    background?.(work);
  }

  /** Lists deliveries by time, newest first. */
  async list(
    of: { readonly tenant: string; readonly hook: string },
    {
      cursor,
      limit,
      outcome,
    }: {
      readonly cursor?: string | undefined;
      readonly limit: number;
      readonly outcome?: DeliveryOutcome | undefined;
    },
  ): Promise<Page<DeliveryView>> {
    const { store, clock } = this.#ports;
    const sinceMs = clock.now() - DELIVERY_AGE_MS;
    const rows = await store.list(of, { before: cursor, outcome, sinceMs, limit: limit + 1 });
    return pageOf(rows, limit, { item: viewOf, cursor: ({ id }) => id });
  }

  /** Fails with `not_found`. */
  async get(
    of: { readonly tenant: string; readonly hook: string },
    id: string,
  ): Promise<DeliveryDetails> {
    const { store, clock } = this.#ports;
    const found = await store.get(of, { id, sinceMs: clock.now() - DELIVERY_AGE_MS });
    if (found === undefined)
      throw new EngineError("not_found", `webhook "${of.hook}" has no delivery "${id}"`);
    const { body, ...rest } = found;
    if (body === undefined) return viewOf(rest);
    const isCut = found.bytes > MAX_BODY_BYTES;
    return { ...viewOf(rest), body, ...(isCut ? { truncated: found.bytes } : undefined) };
  }

  /** Deletes the log of a deleted webhook. Reports failures; the rows expire anyway. */
  async deleteOf(of: { readonly tenant: string; readonly hook: string }): Promise<void> {
    await this.#ports.store.deleteOf(of).catch((error: unknown) => this.#ports.report(error));
  }

  /** Drops old rows once a day. Called every minute. */
  async dropOld(): Promise<void> {
    const { store, clock } = this.#ports;
    const nowMs = clock.now();
    if (Math.floor(nowMs / MINUTE_MS) % MINUTES_OF_DAY !== DROPPED_AT_MINUTE) return;
    await store.deleteBefore(nowMs - DELIVERY_AGE_MS);
  }

  #rowOf(
    { definition }: OpenWebhook,
    { stage, body, event, run, isHandshake = false, unsigned }: Receipt,
    error: unknown,
  ): Omit<StoredDelivery, "count"> {
    const { clock, randomId } = this.#ports;
    const atMs = clock.now();
    const bytes = body?.byteLength ?? 0;
    if (error !== undefined && stage === "signature") {
      const reason = unsigned ?? codeOf(error);
      const minute = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
      const id = `${orderOf(minute)}-${reason}`;
      return {
        id,
        atMs,
        outcome: outcomeOf(error),
        status: statusOf(error),
        reason,
        bytes,
        unsigned: true,
      };
    }
    const isOld = run !== undefined && Date.parse(run.createdAt) < atMs - MAX_SKEW_MS;
    const outcome: DeliveryOutcome =
      error !== undefined
        ? outcomeOf(error)
        : isHandshake
          ? "handshake"
          : isOld
            ? "repeated"
            : "started";
    return {
      id: `${orderOf(atMs)}-${randomId().replaceAll("-", "").slice(0, 12)}`,
      atMs,
      outcome,
      status:
        error !== undefined
          ? statusOf(error)
          : isHandshake || definition.scheme === "slack"
            ? 200
            : 202,
      runId: run?.id,
      event,
      ...(error === undefined ? undefined : { reason: reasonOf(error) }),
      bytes,
      ...(definition.keepBodies === true && body !== undefined
        ? { body: new TextDecoder().decode(body.subarray(0, MAX_BODY_BYTES)) }
        : undefined),
    };
  }
}

function viewOf({ atMs, ...rest }: Omit<StoredDelivery, "body">): DeliveryView {
  return { ...rest, at: isoTime(atMs) };
}

/** Returns a text that sorts by time. */
function orderOf(ms: number): string {
  return ms.toString(36).padStart(9, "0");
}

function codeOf(error: unknown): string {
  return EngineError.is(error) ? error.code : "internal";
}

function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  return EngineError.is(error) ? STATUS_BY_CODE[error.code] : 500;
}

function outcomeOf(error: unknown): DeliveryOutcome {
  return statusOf(error) < 500 ? "refused" : "failed";
}

/** Details of internal errors go only to the Worker's log. */
function reasonOf(error: unknown): string {
  return EngineError.is(error) ? error.message.slice(0, MAX_REASON_LENGTH) : "internal";
}
