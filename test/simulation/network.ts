// Network: how runs reach each other, by calls and through the queue, and what goes wrong on the way. What is sent, and
// what becomes of it, is the engine's own code.
import { toErrorRecord } from "../../src/base/error.ts";
import {
  childDeliveries,
  type TaskMessage,
  type TaskQueue,
} from "../../src/cloudflare/runs/child-starter.ts";
import { runObjectName, type RunObjects } from "../../src/cloudflare/runs/run-object-api.ts";
import type { RpcResult } from "../../src/cloudflare/rpc-result.ts";
import { failQueued, startQueued, type QueuedMessage } from "../../src/cloudflare/child-queue.ts";
import type { RunHost } from "../../src/runtime/run-host.ts";
import { runOperation } from "../../src/runtime/run-operations.ts";
import type { OutboxSink } from "../../src/runtime/deliveries/outbox.ts";
import { QUIET_NETWORK, type CallFate, type MessageFate, type NetworkPlan } from "./faults.ts";
import type { PlantedBug } from "./planted-bugs.ts";
import type { RunObject } from "./run-object.ts";
import type { World } from "./world.ts";

export const TENANT = "t";

/** Deliveries of one message, as the queue is configured; then it lands in the dead letter queue. */
const MAX_DELIVERIES = 6;

const MAX_FAULTY_CALLS = 60;

/** Who calls: what has died neither sends nor hears anything any more. */
export type Caller = { readonly dead: boolean };

export interface NetworkObserver {
  /** Called before a run is asked to end, and when it has agreed. */
  cancelling(runId: string): void;
  cancelled(runId: string): void;
}

export class Network {
  readonly #world: World;
  readonly #plan: NetworkPlan;
  readonly #find: (runId: string) => RunObject;
  readonly #observer: NetworkObserver;
  readonly #bug: PlantedBug | undefined;
  readonly #unreached = new Map<string, { starts: number; cancels: number }>();
  readonly #deadLetters = new Set<string>();
  #calls = 0;
  #messages = 0;

  constructor(options: {
    readonly world: World;
    readonly find: (runId: string) => RunObject;
    readonly observer: NetworkObserver;
    readonly bug: PlantedBug | undefined;
  }) {
    this.#world = options.world;
    this.#plan = options.world.faults.network ?? QUIET_NETWORK;
    this.#find = options.find;
    this.#observer = options.observer;
    this.#bug = options.bug;
  }

  /** What a run's outbox is emptied into. */
  sinkOf(caller: Caller): Required<Pick<OutboxSink, "dispatch" | "report" | "cancel">> {
    const deliveries = childDeliveries(
      this.#objectsFor(caller),
      this.#plan.queue ? this.#queue : undefined,
    );
    return {
      report: deliveries.report,
      dispatch: async (pointers) => {
        try {
          const dispatched = await deliveries.dispatch(pointers);
          if (dispatched.onTheWay !== true) this.#missed("starts", dispatched.left);
          return dispatched;
        } catch (error) {
          this.#missed("starts", pointers.children);
          throw error;
        }
      },
      cancel: async (pointers, reason) => {
        const left = await deliveries.cancel(pointers, reason);
        this.#missed("cancels", left);
        return left;
      },
    };
  }

  /** How often something that was to be done to a run failed. */
  unreached(runId: string): { readonly starts: number; readonly cancels: number } {
    return this.#unreached.get(runId) ?? { starts: 0, cancels: 0 };
  }

  /** True when the queue has given up a message for this child. */
  isDeadLetter(runId: string): boolean {
    return this.#deadLetters.has(runId);
  }

  #missed(what: "starts" | "cancels", runIds: readonly string[]): void {
    for (const runId of runIds) {
      const before = this.unreached(runId);
      this.#unreached.set(runId, { ...before, [what]: before[what] + 1 });
    }
  }

  #objectsFor(caller: Caller): RunObjects {
    const objects: RunObjects = {
      getByName: (name) => {
        const runId = name.slice(runObjectName(TENANT, "").length);
        return {
          call: async (operation, input) => {
            const cancels = operation === "cancel";
            if (cancels && !caller.dead) this.#observer.cancelling(runId);
            const result = await this.#call(caller, runId, (host) =>
              runOperation(host, operation, input),
            );
            if (cancels && result.ok) this.#observer.cancelled(runId);
            return result;
          },
        };
      },
    };
    return this.#bug?.peers?.(objects) ?? objects;
  }

  async #call<T>(
    caller: Caller,
    runId: string,
    action: (host: RunHost) => T | Promise<T>,
  ): Promise<RpcResult<T>> {
    const { random } = this.#world;
    const fate = this.#callFate();
    const delayMs = fate === "slow" ? random() * 20_000 : random() < 0.5 ? 0 : 2;
    if (delayMs > 0) await this.#after(delayMs);
    if (caller.dead) return never();
    if (fate === "down") throw new Error("Network connection lost.");
    const result = await this.#find(runId).ask(async (host) => action(host));
    if (caller.dead) return never();
    if (result === "lost" || fate === "unacknowledged") throw new Error("Network connection lost.");
    if ("value" in result) return { ok: true, value: result.value };
    return { ok: false, error: toErrorRecord(result.error) };
  }

  readonly #queue: TaskQueue = {
    sendBatch: async (messages) => {
      const sent = [...messages].map(({ body }) => ({ body, fate: this.#messageFate() }));
      if (sent.some(({ fate }) => fate === "refused")) throw new Error("Queue sendBatch failed");
      const batches = Map.groupBy(sent, ({ fate }) => fate);
      for (const [fate, batch] of batches) {
        const bodies = batch.map(({ body }) => body);
        if (fate === "lost") continue;
        const delayMs = fate === "late" ? this.#world.random() * 90_000 : 1;
        this.#deliverAfter(delayMs, bodies, { delivery: 1, unsettled: fate === "unsettled" });
        if (fate === "twice")
          this.#deliverAfter(delayMs, bodies, { delivery: 1, unsettled: false });
      }
    },
  };

  #deliverAfter(
    delayMs: number,
    bodies: readonly TaskMessage[],
    how: { readonly delivery: number; readonly unsettled: boolean },
  ): void {
    this.#world.time.after(delayMs, () => void this.#deliver(bodies, how));
  }

  async #deliver(
    bodies: readonly TaskMessage[],
    { delivery, unsettled }: { readonly delivery: number; readonly unsettled: boolean },
  ): Promise<void> {
    const isDead = delivery > MAX_DELIVERIES;
    if (isDead) for (const { child } of bodies) this.#deadLetters.add(child);
    const again = (body: TaskMessage, delaySeconds: number): void =>
      this.#deliverAfter(delaySeconds * 1_000, [body], {
        delivery: delivery + 1,
        unsettled: false,
      });
    const messages = bodies.map((body): QueuedMessage => ({
      body,
      attempts: delivery,
      ack: () => {
        if (unsettled) again(body, 1);
      },
      retry: ({ delaySeconds = 0 } = {}) => again(body, delaySeconds),
    }));
    const objects = this.#objectsFor({ dead: false });
    await (isDead ? failQueued(messages, objects) : startQueued(messages, objects));
  }

  #callFate(): CallFate {
    if (!this.#world.faulty || this.#calls++ > MAX_FAULTY_CALLS) return "taken";
    const { calls } = this.#plan;
    return calls[Math.floor(this.#world.random() * calls.length)] ?? "taken";
  }

  #messageFate(): MessageFate {
    const { messages } = this.#plan;
    const turn = Math.min(this.#messages++, messages.length - 1);
    return this.#world.faulty ? (messages[turn] ?? "once") : "once";
  }

  #after(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#world.time.after(delayMs, resolve));
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
