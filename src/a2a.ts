/** A2A: asking agents elsewhere. */
import { a2aClientPart, type A2AClientOptions } from "./protocols/a2a/client/a2a-client-part.ts";
import type { Part } from "./parts/part.ts";

/**
 * Connects agents to those elsewhere that their `a2a` names, also in stored definitions, and takes callbacks:
 * `defineApp({ parts: [a2aClient()] })`. Throws `invalid_definition` for options that cannot work.
 */
export function a2aClient(options: A2AClientOptions = {}): Part {
  return a2aClientPart(options);
}

/** An agent elsewhere, as `a2a` of an agent takes it. */
export { remoteAgent, type RemoteAgentOptions } from "./protocols/a2a/client/remote-agent.ts";
export type {
  RemoteAgentEntry,
  RemoteAgentSettings,
  RemoteAgentValue,
} from "./agent/description/agent-offer.ts";
export type { A2AClientOptions } from "./protocols/a2a/client/a2a-client-part.ts";
export type { A2AClientConfig, A2ATransport, A2AUpdates } from "./protocols/a2a/client/config.ts";
export type {
  A2AAuth,
  A2ASecret,
  ApiKeyAuth,
  BearerTokenAuth,
  HttpPasswordAuth,
  OAuth2AuthorizationCode,
  OAuth2ClientCredentials,
} from "./protocols/a2a/client/auth-config.ts";
/** Objects that step in on this side of a conversation with a remote agent. */
export type {
  A2AClientExtension,
  A2AConversationState,
  A2AExtensionResponse,
  A2AHistoryMessage,
} from "./protocols/a2a/client/client-extension.ts";
export { A2UI_COMPONENTS, a2ui, type A2UIOptions } from "./protocols/a2a/client/a2ui.ts";
/** How an agent is offered to others. */
export type { A2AServerConfig } from "./protocols/a2a/server-config.ts";
export type { A2AEvents } from "./protocols/a2a/events.ts";
