/** AG-UI: front ends talk with agents, crews and flows. */
import { D1CallerCounts } from "../cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../cloudflare/stores/d1-thread-store.ts";
import type { Part } from "../parts/part.ts";
import { agUiPart, type AgUiOptions } from "../protocols/ag-ui/server.ts";

export type { AgUiOptions } from "../protocols/ag-ui/server.ts";
/** Subjects exposed to front ends, and rate limits. */
export type { ExposedOptions } from "../protocols/exposed-subject.ts";
export type { Expose } from "../protocols/exposure.ts";
export type { CallerLimits } from "../protocols/caller-limits.ts";

/**
 * Serves AG-UI 1.0 at `/ag-ui/:name`: `defineApp({ parts: [agUi({ expose: { "agent/helper": true } })] })`. Throws
 * `invalid_definition` for invalid options.
 */
export function agUi(options: AgUiOptions = {}): Part {
  return agUiPart(options, {
    threads: ({ DB }) => new D1ThreadStore(DB),
    counts: ({ DB }) => new D1CallerCounts(DB),
  });
}
