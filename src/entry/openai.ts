/** OpenAI's API: its SDKs, and compatible chat interfaces, use crews, agents and flows as models. */
import { D1CallerCounts } from "../cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../cloudflare/stores/d1-thread-store.ts";
import type { Part } from "../parts/part.ts";
import { openaiPart, type OpenAiOptions } from "../protocols/openai/server.ts";

/**
 * Chat completions, responses and models under `/v1`: `defineApp({ parts: [openai({ expose: { "crew/briefing": true }
 * })] })`. Throws `invalid_definition` for invalid options.
 */
export function openai(options: OpenAiOptions = {}): Part {
  return openaiPart(options, {
    threads: (env) => new D1ThreadStore(env.DB),
    counts: (env) => new D1CallerCounts(env.DB),
  });
}

export type { OpenAiOptions } from "../protocols/openai/server.ts";
/** Subjects exposed to callers, and rate limits. */
export type { ExposedOptions } from "../protocols/exposed-subject.ts";
export type { Expose } from "../protocols/exposure.ts";
export type { CallerLimits } from "../protocols/caller-limits.ts";
