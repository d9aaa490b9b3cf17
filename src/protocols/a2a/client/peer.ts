// A remote agent that was found: its settings, its card, and what was agreed on.
import type { RunScope } from "../../../events/run-scope.ts";
import type { AgentAccess } from "./access.ts";
import type { AgentCard } from "./agent-card.ts";
import type { CallbackAddresses } from "./callbacks.ts";
import type { RemoteAgentConfig } from "./config.ts";
import type { Credentials } from "./credentials.ts";
import type { AgreedTransport } from "./negotiate.ts";
import { RemoteClient } from "./remote-client.ts";
import { remoteFetch } from "./remote-http.ts";

/** A remote agent that can be asked. */
export type Peer = {
  readonly config: RemoteAgentConfig;
  readonly card: AgentCard;
  readonly agreed: AgreedTransport;
  readonly access: AgentAccess;
  readonly credentials: Credentials;
  /** What it may answer with. */
  readonly outputModes: readonly string[];
  readonly tenant: string;
  readonly agentRole: string;
  /** Where callbacks go; absent outside of a Worker. */
  readonly callbacks?: CallbackBase | undefined;
};

/** What makes the addresses of callbacks, and the address of the API that they begin with. */
export type CallbackBase = {
  readonly addresses: CallbackAddresses;
  readonly baseUrl?: string | undefined;
};

/** How events name a peer. */
export function namedPeer({ config, card }: Pick<Peer, "config" | "card">): {
  readonly endpoint: string;
  readonly a2aAgentName: string;
} {
  return { endpoint: config.endpoint, a2aAgentName: card.name };
}

/** The operations of a peer; what goes wrong is told at `place`. */
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

/** The URIs of the extensions header: those of the settings, and of objects that step in. */
export function requestedExtensions({
  extensions,
  clientExtensions,
}: Pick<RemoteAgentConfig, "extensions" | "clientExtensions">): readonly string[] {
  const own = clientExtensions.flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
  return [...new Set([...extensions, ...own])];
}
