/** A2A: agents of other makers call those of the app. */
import { D1CallerCounts } from "./cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "./cloudflare/stores/d1-thread-store.ts";
import type { Part } from "./parts/part.ts";
import type { A2aOptions } from "./protocols/a2a/options.ts";
import { a2aPart } from "./protocols/a2a/server.ts";

/** What code of a run says to its A2A callers. */
export {
  a2aResult,
  askCaller,
  sendArtifact,
  type AskCallerOptions,
  type ResultArtifact,
  type Said,
  type TaskResult,
} from "./protocols/a2a/task-result.ts";
export type { Part as A2aMessagePart } from "./protocols/a2a/schema.ts";
export type {
  A2aExposedOptions,
  A2aExtension,
  A2aOptions,
  A2aVersion,
} from "./protocols/a2a/options.ts";
export type { OidcAuth } from "./protocols/a2a/oidc.ts";
export type { A2uiOptions, A2uiVersion } from "./protocols/a2a/a2ui.ts";
export type { CardSigning } from "./protocols/a2a/card-signing.ts";

/**
 * Lets other agents call what the app exposes, over A2A: `defineApp({ parts: [a2a({ expose: { "crew/briefing": true } })] })`.
 * Throws `invalid_definition` for options that cannot work.
 */
export function a2a(options: A2aOptions = {}): Part {
  return a2aPart(options, {
    threads: (env) => new D1ThreadStore(env.DB),
    counts: (env) => new D1CallerCounts(env.DB),
  });
}
