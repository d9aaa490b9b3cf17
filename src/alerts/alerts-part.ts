// Sends alerts about problems to a URL.
//
//   ALR1. At most one alert of a kind is sent in five minutes, with the number of occurrences since the last one.
//   ALR2. A failed alert is retried under the same id with growing delays. Occurrences are counted meanwhile.
//   ALR3. An alert has ids and numbers, and no text of a run.
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { invalidDefinition } from "../base/invalid-definition.ts";
import { preview } from "../base/json.ts";
import { noted, type LogCode } from "../base/log.ts";
import { systemClock } from "../base/system.ts";
import { refuseUnknownOptions } from "../base/unknown-options.ts";
import type { IndexStatement, Part, PartEnv, PartHost } from "../parts/part.ts";
import type { RunIndexRow } from "../runtime/run.ts";
import { postDelivery } from "../security/post-delivery.ts";
import { webhookSecrets } from "../security/two-secrets.ts";
import { webhookHeaders } from "../security/webhook.ts";
import { ALERT_KINDS, type AlertKind, type AlertStore, type DueAlert } from "./alert-store.ts";

const MINUTE_MS = 60_000;
const PAUSE_MS = 5 * MINUTE_MS;
const MAX_RETRY_MS = 30 * MINUTE_MS;
/** Delay after which the cron, which runs every minute, counts as late. */
const LATE_MS = 5 * MINUTE_MS;
/** Minimum number of ended runs for an error rate. */
const MIN_ENDED = 10;

/** Recipient and kinds of alerts. */
export type AlertOptions = {
  /** Address for `POST`, signed like webhooks with the Worker's `EDGECREW_WEBHOOK_SECRET`. */
  readonly url: string;
  /** @default all but `error_rate`, which needs `usage()` */
  readonly on?: readonly AlertKind[];
  /** Minimum share of failed runs in an hour for `error_rate`. @default 0.5 */
  readonly errorRate?: number;
};

export type AlertPorts = {
  readonly store: (env: PartEnv) => AlertStore;
  readonly entering: (row: RunIndexRow, kinds: ReadonlySet<AlertKind>) => readonly IndexStatement[];
  /** @default the global one */
  readonly fetch?: typeof fetch;
};

const BY_LOG: ReadonlySet<LogCode> = new Set<LogCode & AlertKind>([
  "dead_letter",
  "webhook_abandoned",
  "quota_80",
]);

export function alertsPart(options: AlertOptions, ports: AlertPorts): Part {
  const { url, kinds, errorRate } = checked(options);
  return {
    name: "alerts",
    docs: "alerts.md",
    migrations: ["0023_operations.sql"],
    runs: { entering: (row) => ports.entering(row, kinds) },
    notices: {
      codes: new Set([...BY_LOG].filter((code) => kinds.has(code as AlertKind))),
      receive: (env, { code, fields: { tenant, run, reason } }) =>
        ports.store(env).add(code as AlertKind, {
          atMs: systemClock.now(),
          example: {
            ...(tenant === undefined ? undefined : { tenant }),
            ...(run === undefined ? undefined : { run }),
            ...(code === "quota_80" && reason !== undefined ? { quota: reason } : undefined),
          },
        }),
    },
    check: (parts) => {
      if (kinds.has("error_rate") && !parts.some(({ name }) => name === "usage"))
        throw invalidDefinition(
          'alerts(): "error_rate" counts by the sums of usage(): add it to the parts of the app',
        );
    },
    bind: (host) => {
      const store = ports.store(host.env);
      return {
        due: async () => {
          await look(host, { store, kinds, errorRate });
          const nowMs = host.clock.now();
          for (const alert of await store.claim(nowMs, nowMs + PAUSE_MS))
            try {
              await send(host, { alert, url, fetch: ports.fetch });
              await store.sent(alert);
            } catch (error) {
              const delayMs = Math.min(MAX_RETRY_MS, MINUTE_MS * 2 ** alert.attempts);
              await store.failed(alert, nowMs + delayMs);
              host.report(noted(error, "cron_failed", { part: "alerts" }));
            }
        },
      };
    },
  };
}

/** Checks for problems without an event of their own: a late cron, a high error rate. */
async function look(
  { clock }: PartHost,
  {
    store,
    kinds,
    errorRate,
  }: {
    readonly store: AlertStore;
    readonly kinds: ReadonlySet<AlertKind>;
    readonly errorRate: number;
  },
): Promise<void> {
  const nowMs = clock.now();
  if (kinds.has("sweeper_late")) {
    const beforeMs = await store.swept(nowMs);
    if (beforeMs !== undefined && nowMs - beforeMs > LATE_MS)
      await store.add("sweeper_late", { atMs: nowMs, example: {} });
  }
  if (!kinds.has("error_rate") || Math.floor(nowMs / MINUTE_MS) % 5 !== 0) return;
  const { completed, failed } = await store.ended(nowMs - 60 * MINUTE_MS);
  const ended = completed + failed;
  if (ended >= MIN_ENDED && failed / ended >= errorRate)
    await store.add("error_rate", { atMs: nowMs, example: {} });
}

async function send(
  host: PartHost,
  {
    alert,
    url,
    fetch,
  }: {
    readonly alert: DueAlert;
    readonly url: string;
    readonly fetch: AlertPorts["fetch"];
  },
): Promise<void> {
  const { kind, count, firstAtMs, lastAtMs, example } = alert;
  const secret = host.variables["EDGECREW_WEBHOOK_SECRET"];
  if (!secret)
    throw new EngineError(
      "unavailable",
      "alerts are signed, and the Worker has no EDGECREW_WEBHOOK_SECRET",
    );
  const times = { firstAt: isoTime(firstAtMs), lastAt: isoTime(lastAtMs) };
  const body = JSON.stringify({ type: "alert", kind, count, ...times, example });
  const id = `alert-${kind}-${firstAtMs}`;
  const [newest = secret, previousSecret] = webhookSecrets(secret);
  const headers = await webhookHeaders(
    { id, url, body, secret: newest, previousSecret },
    host.clock.now(),
  );
  await postDelivery(url, {
    ...host.placeOf("default").outbound,
    field: "alerts",
    receiver: "the address of alerts",
    headers: { ...headers, "content-type": "application/json" },
    body,
    clock: host.clock,
    ...(fetch === undefined ? undefined : { fetch }),
  });
}

function checked(options: AlertOptions): {
  readonly url: string;
  readonly kinds: ReadonlySet<AlertKind>;
  readonly errorRate: number;
} {
  refuseUnknownOptions(options, { method: "alerts()", known: ["url", "on", "errorRate"] });
  const {
    url,
    on = ALERT_KINDS.filter((kind) => kind !== "error_rate"),
    errorRate = 0.5,
  } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidDefinition("alerts(): url must be an http or https address");
  const unknown = on.find((kind) => !ALERT_KINDS.includes(kind));
  if (unknown !== undefined || on.length === 0)
    throw invalidDefinition(
      `alerts(): on must have some of ${ALERT_KINDS.join(", ")}, got ${preview(unknown ?? [])}`,
    );
  if (!(errorRate > 0 && errorRate <= 1))
    throw invalidDefinition(
      `alerts(): errorRate must be more than 0 and at most 1, got ${preview(errorRate)}`,
    );
  return { url, kinds: new Set(on), errorRate };
}
