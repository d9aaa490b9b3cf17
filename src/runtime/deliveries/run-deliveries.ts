// Deliveries of a run to the outside: its row of the index, its report to its parent, the start and the end of its
// children, webhooks, clean-ups. Each is written to the outbox together with its cause.
import { noted } from "../../base/log.ts";
import type { Clock } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { CleanUpRecord } from "./clean-ups.ts";
import { DeliveryTimer } from "./delivery-timer.ts";
import { Outbox, type OutboxSink, type Undelivered } from "./outbox.ts";
import type { RunReader } from "../run-reader.ts";
import type { OutboxEntry, RunStore } from "../run-store.ts";
import { listedFacts } from "../listed-facts.ts";
import { runSums } from "../run-sums.ts";
import { isTerminal, type RunIndexRow, type RunRecord } from "../run.ts";
import {
  noteAbandoned,
  webhookAttempts,
  withFailure,
  type WebhookAttempts,
} from "./webhook-list.ts";
import { Webhooks, type WebhookDelivery, type WebhookPointer } from "./webhooks.ts";

/** About four minutes. */
const MAX_DISPATCH_ATTEMPTS = 8;
/** Half a minute: a queued start has arrived by then. */
const MAX_CANCEL_ATTEMPTS = 5;
/** About fifty minutes. */
const MAX_WEBHOOK_ATTEMPTS = 14;
/** About half an hour. */
const MAX_CLEAN_UP_ATTEMPTS = 12;

/** Delay before a queued dispatch is sent again: a queue may lose it without a report. */
const FIRST_RESEND_MS = 10_000;
const MAX_RESEND_MS = 10 * 60_000;

/** Time within which a run should update its row; afterwards the sweeper checks on it. */
const LEASE_MS = { queued: 60_000, running: 5 * 60_000, waiting: 60_000 };

/** The payload of a dispatch or a cancellation. `sends`: how often they have been sent. */
type ChildBatch = { readonly children: readonly string[]; readonly sends?: number };

export type RunDeliveriesOptions = {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly reader: RunReader;
  readonly sink: OutboxSink;
  readonly events: () => EventLog;
  /** Does a clean-up. */
  readonly cleanUp: (record: CleanUpRecord) => Promise<void>;
  /** Returns the header `traceparent` for deliveries about an event inside the place opened by `eventId`. */
  readonly traceparent: (eventId: string | undefined) => string | undefined;
  /** Adds sums over runs to rows of the index. @default false */
  readonly withSums?: boolean | undefined;
  /** Adds the words of runs to rows of the index. @default false */
  readonly withText?: boolean | undefined;
  /** Called with abandoned webhooks and clean-ups. @default ignored */
  readonly report?: (error: EngineError) => void;
  /** Called with children whose dispatch is given up, until it resolves. */
  readonly onUndispatched: (children: readonly string[]) => Promise<void>;
  /** Called when webhooks were delivered or postponed. */
  readonly onWebhooksDone: () => void;
  /** Called when a flush scheduled by `timer` is over. */
  readonly onFlushed: () => unknown;
};

export class RunDeliveries {
  /** Makes deliveries during a drive. */
  readonly timer: DeliveryTimer;
  readonly #options: RunDeliveriesOptions;
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #reader: RunReader;
  readonly #sink: OutboxSink;
  readonly #outbox: Outbox;
  #webhooks: Webhooks;

  constructor(options: RunDeliveriesOptions) {
    const { store, clock, onUndispatched, onWebhooksDone, onFlushed } = options;
    this.#options = options;
    this.#store = store;
    this.#clock = clock;
    this.#reader = options.reader;
    this.#sink = options.sink;
    this.timer = new DeliveryTimer(clock, () => this.flush(), onFlushed);
    this.#outbox = new Outbox({
      store,
      clock,
      onLaneDone: onWebhooksDone,
      deliveries: {
        index: {
          deliver: async (row) => {
            await this.#sink.index?.(row as RunIndexRow);
            return undefined;
          },
          isRepeatable: true,
        },
        report: { deliver: () => this.#reportEnd() },
        dispatch: {
          deliver: (batch) => this.#dispatch(batch as ChildBatch),
          maxAttempts: MAX_DISPATCH_ATTEMPTS,
          giveUp: (batch) => onUndispatched((batch as ChildBatch).children),
        },
        cancel: {
          deliver: (batch) => this.#cancel(batch as ChildBatch),
          maxAttempts: MAX_CANCEL_ATTEMPTS,
        },
        "clean-up": {
          deliver: (record) => options.cleanUp(record as CleanUpRecord).then(() => undefined),
          maxAttempts: MAX_CLEAN_UP_ATTEMPTS,
          // A hanging service delays only its own kind.
          laneOf: (id) => id.split(":", 2).join(":"),
          isPermanent: (error) => EngineError.is(error) && !error.retryable,
          giveUp: (record, reason) => this.#reportAbandoned(record as CleanUpRecord, reason),
        },
        webhook: {
          deliver: (pointer) => this.#sendWebhook(pointer),
          maxAttempts: MAX_WEBHOOK_ATTEMPTS,
          laneOf: (id) => id.slice(id.lastIndexOf(":")),
          isPermanent: isRefusal,
          haltsLane: (error) => EngineError.is(error) && error.code === "timeout",
          noted: withFailure,
          giveUp: (pointer, reason, attempts) =>
            this.#abandonWebhook(pointer, { reason, attempts }),
        },
      },
    });
    this.#webhooks = new Webhooks(store, options.events);
  }

  /** Tries every due delivery once. Does not wait for webhooks. */
  async flush(): Promise<void> {
    if (this.#store.load() !== undefined)
      this.#webhooks.collect((id, pointer) => this.#outbox.add(id, pointer));
    await this.#outbox.flush();
  }

  /** True if runs are listed in an index. */
  get hasIndex(): boolean {
    return this.#sink.index !== undefined;
  }

  /** Adds the index row of the run's current state, if there is an index. */
  addIndexRow(record: RunRecord): void {
    if (!this.hasIndex) return;
    const waits = record.hasAsked === true ? { waits: this.#reader.openWaits(record) } : undefined;
    const row = indexRow(record, this.#leaseUntilMs(record), this.#clock.now());
    const version = this.#store.value("definitionVersion");
    const versioned =
      version === undefined ? undefined : { definitionVersion: JSON.parse(version) as string };
    const sums = this.#options.withSums ? runSums(record, this.#store.journal) : undefined;
    const listed = listedFacts(record, this.#store, { withText: this.#options.withText === true });
    this.#outbox.add("index", { ...row, ...waits, ...versioned, ...(sums && { sums }), listed });
  }

  /** Adds the report of the run's end to its parent. */
  addReport(): void {
    this.#outbox.add("report", null);
  }

  /** Adds the start of children, or their end. */
  addChildren(kind: "dispatch" | "cancel", children: readonly string[]): void {
    const [first] = children;
    if (first !== undefined) this.#outbox.add(`${kind}:${first}`, { children });
  }

  /** Adds a clean-up, which is due now. */
  addCleanUp(record: CleanUpRecord): void {
    this.#outbox.add(`clean-up:${record.kind}:${record.id}`, record);
  }

  /** Removes the dispatches of children that have begun. */
  removeDispatches(children: readonly string[]): void {
    const begun = new Set(children);
    for (const entry of this.#store.outbox())
      if (entry.id.startsWith("dispatch:")) this.#removeFrom(entry, begun);
  }

  #removeFrom(entry: OutboxEntry, begun: ReadonlySet<string>): void {
    const batch = JSON.parse(entry.payload) as ChildBatch;
    const left = batch.children.filter((child) => !begun.has(child));
    if (left.length === batch.children.length) return;
    if (left.length === 0) return this.#store.removeOutbox(entry);
    const payload = JSON.stringify({ ...batch, children: left });
    const dueAtMs = Math.max(entry.dueAtMs, this.#clock.now() + FIRST_RESEND_MS);
    this.#store.putOutbox({ ...entry, payload, dueAtMs });
  }

  /** True if a webhook may subscribe to an event of this run. */
  get hasWebhooks(): boolean {
    return this.#webhooks.targets.length > 0;
  }

  /** Webhooks added to and removed from a started run. */
  get webhooks(): Pick<Webhooks, "added" | "add" | "remove"> {
    return this.#webhooks;
  }

  /** Webhook deliveries not taken yet. */
  get webhookAttempts(): readonly WebhookAttempts[] {
    return webhookAttempts(this.#store, this.#webhooks.targets);
  }

  /** True if a webhook subscribes to this event. */
  isWanted(event: Parameters<Webhooks["isWanted"]>[0]): boolean {
    return this.#webhooks.isWanted(event);
  }

  /** Sets the timer for the next due webhook. */
  flushByNextWebhook(): void {
    const webhooks = this.#store.outbox().filter(({ id }) => id.startsWith("webhook:"));
    const due = webhooks.map(({ dueAtMs }) => dueAtMs);
    if (due.length > 0) this.timer.flushBy(Math.min(...due));
  }

  /** Drops the cached webhooks of a deleted run. */
  forget(): void {
    this.#webhooks = new Webhooks(this.#store, this.#options.events);
  }

  async #dispatch({ children, sends = 0 }: ChildBatch): Promise<Undelivered | undefined> {
    const record = this.#reader.record();
    if (isTerminal(record.status)) return undefined;
    const pointers = { tenant: record.tenant, parent: record.id, children };
    const { left, onTheWay = false } = (await this.#sink.dispatch?.(pointers)) ?? { left: [] };
    if (left.length === 0) return undefined;
    if (!onTheWay) return { left: { children: left } };
    const againInMs = Math.min(MAX_RESEND_MS, FIRST_RESEND_MS * 2 ** sends);
    return { left: { children: left, sends: sends + 1 }, againInMs };
  }

  async #cancel({ children }: ChildBatch): Promise<Undelivered | undefined> {
    const { id: parent, tenant } = this.#reader.record();
    const reason = `its parent, run ${parent}, waits no more`;
    const left = (await this.#sink.cancel?.({ tenant, parent, children }, reason)) ?? [];
    return left.length === 0 ? undefined : { left: { children: left } };
  }

  async #reportEnd(): Promise<undefined> {
    const record = this.#reader.record();
    const { parent, tenant } = record;
    if (parent === undefined) return;
    try {
      await this.#sink.report?.({ ...parent, tenant }, this.#reader.report(record));
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "not_found") throw error;
    }
  }

  #webhookOf(pointer: JsonValue): WebhookDelivery | undefined {
    return this.#webhooks.deliveryOf(pointer, {
      run: () => this.#reader.view(this.#reader.record()),
      kept: (types, upToSeq) => this.#reader.eventsOf(types, upToSeq).events,
    });
  }

  async #sendWebhook(pointer: JsonValue): Promise<undefined> {
    const webhook = this.#webhookOf(pointer);
    if (webhook === undefined) return;
    const traceparent = this.#options.traceparent(webhook.event.parentId);
    await this.#sink.webhook?.({ ...webhook, traceparent });
  }

  #reportAbandoned({ kind, id }: CleanUpRecord, reason: unknown): void {
    const { id: run, tenant } = this.#reader.record();
    const message = `run ${run}: the clean-up "${kind}" of ${id} was abandoned: ${errorMessage(reason)}`;
    const fault = new EngineError("unavailable", message, { cause: reason });
    this.#options.report?.(noted(fault, "clean_up_abandoned", { run, tenant, kind }));
  }

  #abandonWebhook(
    pointer: JsonValue,
    { reason, attempts }: { readonly reason: unknown; readonly attempts: number },
  ): void {
    const { targets } = this.#webhooks;
    const atMs = this.#clock.now();
    const failed = { targets, atMs, attempts, reason };
    noteAbandoned(this.#store, pointer as WebhookPointer, failed);
    const { id, tenant } = this.#reader.record();
    const { target, event } = this.#webhookOf(pointer) ?? {};
    const what = `run ${id}: event ${event?.seq} (${event?.type}) for ${originOf(target?.url)}`;
    const message = `${what} was abandoned${isRefusal(reason) ? "" : ` after ${MAX_WEBHOOK_ATTEMPTS} attempts`}: ${errorMessage(reason)}`;
    const fault = new EngineError("unavailable", message, { cause: reason });
    this.#options.report?.(
      noted(fault, "webhook_abandoned", { run: id, tenant, event: event?.type }),
    );
  }

  #leaseUntilMs(record: RunRecord): number | null {
    if (isTerminal(record.status)) return null;
    if (record.status !== "waiting") return this.#clock.now() + LEASE_MS[record.status];
    if (record.held !== undefined) return null;
    const dueMs = this.#reader.nextWaitDueMs();
    return dueMs === undefined ? null : dueMs + LEASE_MS.waiting;
  }
}

/** True for an address that must not be requested, or redirects to such an address. */
function isRefusal(error: unknown): boolean {
  return EngineError.is(error) && error.code === "invalid_input";
}

/** Returns the loggable part of an address: paths and queries often contain secrets. */
function originOf(url = ""): string {
  return URL.canParse(url) ? new URL(url).origin : "an address";
}

function indexRow(record: RunRecord, leaseUntilMs: number | null, nowMs: number): RunIndexRow {
  const { id, tenant, kind, name, status, createdAtMs, version, parent, held } = record;
  // A run does not change after its end, so indexing it again keeps its end time.
  const updatedAtMs = record.finishedAtMs ?? nowMs;
  const row = { id, tenant, kind, name, status, createdAtMs, updatedAtMs, version };
  return {
    ...row,
    leaseUntilMs,
    ...(parent === undefined ? undefined : { parent }),
    ...(held === undefined || status !== "waiting" ? undefined : { heldVersion: held.codeVersion }),
  };
}
