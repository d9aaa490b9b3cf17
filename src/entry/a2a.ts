/** A2A: agents of other vendors call those of the app, and agents of the app call remote ones. */
import { D1CallerCounts } from "../cloudflare/stores/d1-caller-counts.ts";
import { D1ThreadStore } from "../cloudflare/stores/d1-thread-store.ts";
import type { Part } from "../parts/part.ts";
import type { A2AOptions } from "../protocols/a2a/options.ts";
import { a2aPart } from "../protocols/a2a/server.ts";
import { a2aClientPart, type A2AClientOptions } from "../protocols/a2a/client/a2a-client-part.ts";

/**
 * Exposes subjects of the app to other agents over A2A: `defineApp({ parts: [a2a({ expose: { "crew/briefing": true }
 * })] })`. Throws `invalid_definition` for invalid options.
 */
export function a2a(options: A2AOptions = {}): Part {
  return a2aPart(options, {
    threads: (env) => new D1ThreadStore(env.DB),
    counts: (env) => new D1CallerCounts(env.DB),
  });
}

/** Messages from code of a run to its A2A callers. */
export {
  a2aResult,
  askCaller,
  sendArtifact,
  type AskCallerOptions,
  type ResultArtifact,
  type Said,
  type TaskResult,
} from "../protocols/a2a/task-result.ts";
export type { Part as A2AMessagePart } from "../protocols/a2a/schema.ts";
export type {
  A2AExposedOptions,
  A2AExtension,
  A2AOptions,
  A2AVersion,
} from "../protocols/a2a/options.ts";
export type { OidcAuth } from "../protocols/a2a/oidc.ts";
export type { A2UIServerOptions } from "../protocols/a2a/a2ui.ts";
export { A2UI_COMPONENTS, type A2UIVersion } from "../protocols/a2a/a2ui-catalog.ts";
export type { CardSigning } from "../protocols/a2a/card-signing.ts";

/**
 * Connects agents to the remote agents in their `a2a`, also in stored definitions, and receives callbacks: `defineApp({
 * parts: [a2aClient()] })`. Throws `invalid_definition` for invalid options.
 */
export function a2aClient(options: A2AClientOptions = {}): Part {
  return a2aClientPart(options);
}

/** An agent elsewhere, as `a2a` of an agent takes it. */
export { remoteAgent, type RemoteAgentOptions } from "../protocols/a2a/client/remote-agent.ts";
export type {
  RemoteAgentEntry,
  RemoteAgentSettings,
  RemoteAgentValue,
} from "../agent/description/agent-offer.ts";
export type { A2AClientOptions } from "../protocols/a2a/client/a2a-client-part.ts";
export type { A2AClientConfig, A2ATransport, A2AUpdates } from "../protocols/a2a/client/config.ts";
export type {
  A2AAuth,
  A2ASecret,
  ApiKeyAuth,
  BearerTokenAuth,
  HttpPasswordAuth,
  OAuth2AuthorizationCode,
  OAuth2ClientCredentials,
} from "../protocols/a2a/client/auth-config.ts";
/** Client-side extensions of a conversation with a remote agent. */
export type {
  A2AClientExtension,
  A2AConversationState,
  A2AExtensionResponse,
  A2AHistoryMessage,
} from "../protocols/a2a/client/client-extension.ts";
export { a2ui, type A2UIOptions } from "../protocols/a2a/client/a2ui.ts";
/** Settings of an agent offered to other agents. */
export type { A2AServerConfig } from "../protocols/a2a/server-config.ts";
export type { A2AEvents } from "../protocols/a2a/events.ts";
