// A remote agent after discovery: its settings, its card, and the negotiated terms.
import type { RunScope } from "../../../events/run-scope.ts";
import type { AgentAccess } from "./access.ts";
import type { AgentCard } from "./agent-card.ts";
import type { CallbackAddresses } from "./callbacks.ts";
import type { RemoteAgentConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import type { AgreedTransport } from "./negotiate.ts";
import { RemoteClient } from "./remote-client.ts";
import { remoteFetch } from "./remote-http.ts";

/** A remote agent ready for calls. */
export type Peer = {
  readonly config: RemoteAgentConfig;
  readonly card: AgentCard;
  readonly agreed: AgreedTransport;
  readonly access: AgentAccess;
  readonly credentials: Credentials;
  /** Media types of its answers. */
  readonly outputModes: readonly string[];
  readonly tenant: string;
  readonly agentRole: string;
  /** Target of callbacks; absent outside of a Worker. */
  readonly callbacks?: CallbackBase | undefined;
};

/** Maker of callback addresses, and the base address of the API. */
export type CallbackBase = {
  readonly addresses: CallbackAddresses;
  readonly baseUrl?: string | undefined;
};

/** Names of a peer in events. */
export function namedPeer({ config, card }: Pick<Peer, "config" | "card">): {
  readonly endpoint: string;
  readonly a2aAgentName: string;
} {
  return { endpoint: config.endpoint, a2aAgentName: card.name };
}

/** Returns the client of a peer, with events emitted at `place`. */
export function clientOf(peer: Peer, place: RunScope): RemoteClient {
  const { config, access, agreed, credentials, card } = peer;
  const what = `the remote agent "${card.name}"`;
  let refusals = 0;
  return new RemoteClient({
    agreed,
    what,
    extensions: requestedExtensions(config),
    fetch: remoteFetch({
      access,
      credentials,
      what,
      timeoutMs: config.timeout * 1000,
      maxRequestBytes: config.transport.jsonrpc?.maxRequestSize,
      unauthorized: (statusCode) => {
        const { type: authType } = credentials;
        place.emit(
          "a2a_authentication_failed",
          {
            ...namedPeer(peer),
            ...(authType === undefined ? undefined : { authType }),
            error: `the server answered ${statusCode}`,
            statusCode,
          },
          refusals++,
        );
      },
    }),
  });
}

/** Returns the URIs for the extensions header: those of the settings and of client extensions. */
export function requestedExtensions({
  extensions,
  clientExtensions,
}: Pick<RemoteAgentConfig, "extensions" | "clientExtensions">): readonly string[] {
  const own = clientExtensions.flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
  return [...new Set([...extensions, ...own])];
}
