// What a run keeps of itself: its record, the events of its life, and what it owes to the index.
import type { Clock } from "../base/clock.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { EventLog } from "../events/event-log.ts";
import type { EventPayloads, EventType } from "../events/run-event.ts";
import { Outbox, type OutboxSink, type Unpaid } from "./outbox.ts";
import type { RunReader } from "./run-reader.ts";
import type { RunStore } from "./run-store.ts";
import { Webhooks, type WebhookDelivery } from "./webhooks.ts";
import { isTerminal, type RunIndexRow, type RunRecord } from "./run.ts";

/** About four minutes. */
const MAX_DISPATCH_ATTEMPTS = 8;
/** Half a minute: a start that was on its way has come by then. */
const MAX_CANCEL_ATTEMPTS = 5;

/** About fifty minutes. */
const MAX_WEBHOOK_ATTEMPTS = 14;

type LedgerPorts = {
  readonly clock: Clock;
  readonly outbox: OutboxSink;
  readonly report?: (error: EngineError) => void;
};

/** Usually the queue is faster; this alarm finds messages that the queue has lost. */
const FIRST_RESEND_MS = 10_000;
const MAX_RESEND_MS = 10 * 60_000;

/** `sends`: how often they were put on their way. */
type ChildDebt = { readonly children: readonly string[]; readonly sends?: number };

const LEASE_MS = { queued: 60_000, running: 5 * 60_000, waiting: 60_000 };

export class RunLedger {
  readonly #store: RunStore;
  readonly #clock: Clock;
  readonly #read: RunReader;
  readonly #outbox: Outbox;
  readonly #sink: OutboxSink;
  readonly #onChange = new Set<() => void>();
  readonly #report: (error: EngineError) => void;
  #webhooks: Webhooks;
  #events: EventLog | undefined;

  constructor(store: RunStore, read: RunReader, ports: LedgerPorts) {
    this.#store = store;
    this.#read = read;
    this.#clock = ports.clock;
    this.#sink = ports.outbox;
    this.#report = ports.report ?? (() => undefined);
    this.#outbox = new Outbox(store, ports.clock, {
      index: {
        deliver: async (row) => {
          await this.#sink.index(row as unknown as RunIndexRow);
          return undefined;
        },
      },
      report: { deliver: () => this.#reportEnd() },
      dispatch: {
        deliver: (debt) => this.#dispatch(debt as ChildDebt),
        maxAttempts: MAX_DISPATCH_ATTEMPTS,
        giveUp: (debt) => this.onUndispatched((debt as ChildDebt).children),
      },
      cancel: {
        deliver: (debt) => this.#cancel(debt as ChildDebt),
        maxAttempts: MAX_CANCEL_ATTEMPTS,
      },
      webhook: {
        deliver: (debt) => this.#tellOutside(debt),
        maxAttempts: MAX_WEBHOOK_ATTEMPTS,
        laneOf: (id) => id.slice(id.lastIndexOf(":")),
        haltsLane: (error) => EngineError.is(error) && error.code === "timeout",
        giveUp: (debt, reason) => this.#giveUpTelling(debt, reason),
      },
    });
    this.#webhooks = new Webhooks(store, () => this.events);
  }

  /** Hears of children whose dispatch nobody tries any more. */
  onUndispatched: (children: readonly string[]) => void = () => undefined;

  /** Owes the start of children, or their end. */
  oweChildren(kind: "dispatch" | "cancel", children: readonly string[]): void {
    const [first] = children;
    if (first !== undefined) this.#outbox.owe(`${kind}:${first}`, { children });
  }

  /** Children have begun: their dispatch is not owed any more. */
  begun(children: readonly string[]): void {
    const begun = new Set(children);
    for (const entry of this.#store.outbox()) {
      if (!entry.id.startsWith("dispatch:")) continue;
      const debt = JSON.parse(entry.payload) as ChildDebt;
      const left = debt.children.filter((child) => !begun.has(child));
      if (left.length === debt.children.length) continue;
      if (left.length === 0) this.#store.removeOutbox(entry);
      else {
        const payload = JSON.stringify({ ...debt, children: left });
        const dueAtMs = Math.max(entry.dueAtMs, this.#clock.now() + FIRST_RESEND_MS);
        this.#store.putOutbox({ ...entry, payload, dueAtMs });
      }
    }
  }

  async #dispatch({ children, sends = 0 }: ChildDebt): Promise<Unpaid | undefined> {
    const record = this.#read.record();
    if (isTerminal(record.status)) return undefined;
    const pointers = { tenant: record.tenant, parent: record.id, children };
    const { left, onTheWay = false } = (await this.#sink.dispatch?.(pointers)) ?? { left: [] };
    if (left.length === 0) return undefined;
    if (!onTheWay) return { left: { children: left } };
    const againInMs = Math.min(MAX_RESEND_MS, FIRST_RESEND_MS * 2 ** sends);
    return { left: { children: left, sends: sends + 1 }, againInMs };
  }

  async #cancel({ children }: ChildDebt): Promise<Unpaid | undefined> {
    const { id: parent, tenant } = this.#read.record();
    const reason = `its parent, run ${parent}, waits no more`;
    const left = (await this.#sink.cancel?.({ tenant, parent, children }, reason)) ?? [];
    return left.length === 0 ? undefined : { left: { children: left } };
  }

  async #reportEnd(): Promise<undefined> {
    const record = this.#read.record();
    const { parent, tenant } = record;
    if (parent === undefined) return;
    try {
      await this.#sink.report?.({ ...parent, tenant }, this.#read.report(record));
    } catch (error) {
      if (!EngineError.is(error) || error.code !== "not_found") throw error;
    }
  }

  /** Tries once to deliver what is owed and due. Does not wait for webhooks. */
  async flush(): Promise<void> {
    if (this.#store.load() !== undefined)
      this.#webhooks.collect((id, debt) => this.#outbox.owe(id, debt));
    await this.#outbox.flush();
  }

  /** Hears that webhooks were delivered or put off. */
  set onWebhooksTold(hear: () => void) {
    this.#outbox.onLaneDone = hear;
  }

  /** Hears of events that somebody outside wants to be told of. */
  onWanted: () => void = () => undefined;

  #deliveryOf(debt: JsonValue): WebhookDelivery | undefined {
    return this.#webhooks.deliveryOf(debt, () => this.#read.view(this.#read.record()));
  }

  async #tellOutside(debt: JsonValue): Promise<undefined> {
    const delivery = this.#deliveryOf(debt);
    if (delivery !== undefined) await this.#sink.webhook?.(delivery);
  }

  #giveUpTelling(debt: JsonValue, reason: unknown): void {
    const { id } = this.#read.record();
    const { target, event } = this.#deliveryOf(debt) ?? {};
    const what = `run ${id}: event ${event?.seq} (${event?.type}) for ${originOf(target?.url)}`;
    const message = `${what} was given up after ${MAX_WEBHOOK_ATTEMPTS} attempts: ${errorMessage(reason)}`;
    this.#report(new EngineError("unavailable", message, { cause: reason }));
  }

  /** Resolves at the next change of status or wait, or after `timeoutMs`. */
  changed(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel?.();
        this.#onChange.delete(end);
        resolve();
      };
      const cancel = timeoutMs === undefined ? undefined : this.#clock.after(timeoutMs, end);
      this.#onChange.add(end);
    });
  }

  /** All or nothing, the events told of it included. */
  transaction(change: () => void): void {
    this.events.within(() => this.#store.transaction(change));
  }

  /** Saves a change that others can see, and owes the index word of it. */
  change(record: RunRecord): void {
    const changed = { ...record, version: record.version + 1 };
    this.#store.save(changed);
    this.owe(changed);
    for (const notify of this.#onChange) notify();
  }

  /** Owes the parent word of the end. */
  oweReport(): void {
    this.#outbox.owe("report", null);
  }

  /** Owes the index word of the run as it is. */
  owe(record: RunRecord): void {
    const waits = record.hasAsked === true ? { waits: this.#read.openWaits(record) } : undefined;
    const row = indexRow(record, this.#leaseUntilMs(record), this.#clock.now());
    this.#outbox.owe("index", { ...row, ...waits });
  }

  #leaseUntilMs(record: RunRecord): number | null {
    if (isTerminal(record.status)) return null;
    if (record.status !== "waiting") return this.#clock.now() + LEASE_MS[record.status];
    const due = this.#read.waitsDueMs();
    return due.length === 0 ? null : Math.min(...due) + LEASE_MS.waiting;
  }

  /** Throws `not_found` for a run that was never started. */
  get events(): EventLog {
    if (this.#events === undefined) {
      this.#events = new EventLog({
        runId: this.#read.record().id,
        store: this.#store.events,
        clock: this.#clock,
      });
      if (this.#webhooks.targets.length > 0)
        this.#events.subscribe((event) => {
          if (this.#webhooks.isWanted(event)) this.onWanted();
        });
    }
    return this.#events;
  }

  /** The run's record is gone: what was read of it is of no use any more. */
  forget(): void {
    this.#events = undefined;
    this.#webhooks = new Webhooks(this.#store, () => this.events);
  }

  /** Tells of something in the life of the run as a whole. `nth` tells apart several of one type. */
  emit<Type extends EventType>(type: Type, payload: EventPayloads[Type], nth?: number): string {
    return this.events.emit(type, nth === undefined ? { path: "" } : { path: "", nth }, payload);
  }
}

/** All of an address that a log may show: paths and queries often hold somebody's secret. */
function originOf(url = ""): string {
  return URL.canParse(url) ? new URL(url).origin : "an address";
}

function indexRow(record: RunRecord, leaseUntilMs: number | null, nowMs: number): RunIndexRow {
  const { id, tenant, kind, name, status, createdAtMs, version, parent } = record;
  const row = { id, tenant, kind, name, status, createdAtMs, updatedAtMs: nowMs, version };
  return { ...row, leaseUntilMs, ...(parent === undefined ? undefined : { parent }) };
}
