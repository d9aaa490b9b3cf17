// Webhook deliveries of a run not taken yet: pending ones, and abandoned ones.
import { isoTime } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { EventStore } from "../../events/event-log.ts";
import type { RunStore } from "../run-store.ts";
import type { WebhookTarget } from "./webhook-target.ts";
import type { WebhookPointer } from "./webhooks.ts";

/** A webhook delivery not taken yet. */
export type WebhookAttempts = {
  /** Host and path of the address: a query often contains a secret. */
  readonly target: string;
  /** Type and `seq` of the event. */
  readonly type: string;
  readonly seq: number;
  readonly state: "pending" | "given_up";
  readonly attempts: number;
  /** When it is tried next; ISO 8601, UTC. */
  readonly nextAt?: string;
  /** Time at which it was given up. */
  readonly at?: string;
  /** Reason for the last failure. */
  readonly error?: string;
  /** HTTP status of the last response; absent without a response. */
  readonly status?: number;
};

type Failure = Pick<WebhookAttempts, "error" | "status">;

/** Contents of an outbox entry after a failed attempt. */
export type FailedPointer = WebhookPointer & Failure;

const ABANDONED = "webhooks-given-up";
/** Number of abandoned deliveries still shown. */
const MAX_ABANDONED = 100;
const MAX_ERROR_LENGTH = 200;

/** The pointer, with why its delivery failed. */
export function withFailure(pointer: JsonValue, reason: unknown): JsonValue {
  const { error: _, status: __, ...plain } = pointer as FailedPointer;
  return { ...plain, ...failureOf(reason) };
}

/** Records an abandoned delivery. */
export function noteAbandoned(
  store: RunStore,
  pointer: WebhookPointer,
  {
    targets,
    atMs,
    attempts,
    reason,
  }: {
    readonly targets: readonly WebhookTarget[];
    readonly atMs: number;
    readonly attempts: number;
    readonly reason: unknown;
  },
): void {
  const entry: WebhookAttempts = {
    ...about(pointer, targets, store.events),
    state: "given_up",
    attempts,
    at: isoTime(atMs),
    ...failureOf(reason),
  };
  const all = [entry, ...abandoned(store)].slice(0, MAX_ABANDONED);
  store.setValue(ABANDONED, JSON.stringify(all));
}

/** Returns the pending deliveries, the next one first, and then the abandoned ones, newest first. */
export function webhookAttempts(
  store: RunStore,
  targets: readonly WebhookTarget[],
): readonly WebhookAttempts[] {
  const pending = store
    .outbox()
    .filter(({ id }) => id.startsWith("webhook:"))
    .map(({ payload, attempts, dueAtMs }): WebhookAttempts => {
      const { error, status, ...pointer } = JSON.parse(payload) as FailedPointer;
      return {
        ...about(pointer, targets, store.events),
        state: "pending",
        attempts,
        nextAt: isoTime(dueAtMs),
        ...(error === undefined ? undefined : { error }),
        ...(status === undefined ? undefined : { status }),
      };
    });
  return [...pending, ...abandoned(store)];
}

function abandoned(store: RunStore): readonly WebhookAttempts[] {
  return JSON.parse(store.value(ABANDONED) ?? "[]") as WebhookAttempts[];
}

function about(
  { target, seq }: WebhookPointer,
  targets: readonly WebhookTarget[],
  events: EventStore,
): Pick<WebhookAttempts, "target" | "type" | "seq"> {
  const [event] = events.read(seq - 1, 1);
  return { target: addressOf(targets[target]?.url), type: event?.type ?? "", seq };
}

function addressOf(url = ""): string {
  if (!URL.canParse(url)) return "";
  const { host, pathname } = new URL(url);
  return host + pathname;
}

function failureOf(reason: unknown): Failure {
  const error = errorMessage(reason).slice(0, MAX_ERROR_LENGTH);
  const status = EngineError.is(reason) ? reason.status : undefined;
  return { error, ...(status === undefined ? undefined : { status }) };
}
