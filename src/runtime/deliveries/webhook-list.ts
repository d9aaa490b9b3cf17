// The deliveries of a run that have not been taken: those that are tried again, and those that were given up.
import { isoTime } from "../../base/clock.ts";
import { EngineError, errorMessage } from "../../base/error.ts";
import type { JsonValue } from "../../base/json.ts";
import type { EventStore } from "../../events/event-log.ts";
import type { RunStore } from "../run-store.ts";
import type { WebhookPointer, WebhookTarget } from "./webhooks.ts";

/** A delivery of an event to a webhook that has not been taken. */
export type WebhookAttempts = {
  /** Host and path of the address: a query often holds somebody's secret. */
  readonly target: string;
  /** Type and `seq` of the event. */
  readonly type: string;
  readonly seq: number;
  readonly state: "pending" | "given_up";
  readonly attempts: number;
  /** When it is tried next; ISO 8601, UTC. */
  readonly nextAt?: string;
  /** When it was given up. */
  readonly at?: string;
  /** Why the last attempt failed. */
  readonly error?: string;
  /** The HTTP status that the last attempt was answered with; absent where there was no answer. */
  readonly status?: number;
};

type Failure = Pick<WebhookAttempts, "error" | "status">;

/** What an entry of the outbox holds once an attempt has failed. */
export type FailedPointer = WebhookPointer & Failure;

const ABANDONED = "webhooks-given-up";
/** Deliveries that were given up and are still shown. */
const MAX_ABANDONED = 100;
const MAX_ERROR_LENGTH = 200;

/** The pointer, with why its delivery failed. */
export function withFailure(pointer: JsonValue, reason: unknown): JsonValue {
  const { error: _, status: __, ...plain } = pointer as FailedPointer;
  return { ...plain, ...failureOf(reason) };
}

/** Keeps that a delivery was given up. */
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

/** The pending deliveries, the next one first, and then those that were given up, the newest first. */
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
