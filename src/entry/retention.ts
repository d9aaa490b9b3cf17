/** Retention of finished runs. */
import { D1FinishedRuns } from "../cloudflare/stores/d1-finished-runs.ts";
import type { Part } from "../parts/part.ts";
import type { RetentionOptions } from "../retention/retention-options.ts";
import { retentionPart } from "../retention/retention-part.ts";

/**
 * Deletes finished runs after their retention time: `defineApp({ parts: [retention({ completed: "30d" })] })`. Throws
 * `invalid_definition`.
 */
export function retention(options: RetentionOptions): Part {
  return retentionPart(options, ({ DB }) => new D1FinishedRuns(DB));
}

export type { Duration, RetentionOptions } from "../retention/retention-options.ts";
