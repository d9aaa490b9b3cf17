/** Alerts about failures. */
import { alertsPart, type AlertOptions } from "../alerts/alerts-part.ts";
import { alertStatements, D1AlertStore } from "../cloudflare/stores/d1-alert-store.ts";
import type { Part } from "../parts/part.ts";

/**
 * Reports failures to an address, from the Worker's cron: `defineApp({ parts: [alerts({ url })] })`. Throws
 * `invalid_definition`.
 */
export function alerts(options: AlertOptions): Part {
  return alertsPart(options, {
    store: ({ DB }) => new D1AlertStore(DB),
    entering: alertStatements,
  });
}

export type { AlertKind } from "../alerts/alert-store.ts";
export type { AlertOptions } from "../alerts/alerts-part.ts";
