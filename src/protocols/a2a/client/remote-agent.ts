// A remote agent as a value of code, which connects by itself.
import { environmentVariables, systemClock, systemFetch } from "../../../base/system.ts";
import type { RemoteAgentEntry, RemoteAgentValue } from "../../../agent/description/agent-offer.ts";
import type { A2AAccess } from "./access.ts";
import { readClientConfig, type A2AClientConfig } from "./config.ts";
import { namedExtension } from "./named-extension.ts";
import { CONFIG, remoteAgents, type SharedA2A } from "./remote-agents.ts";

/** How code connects to remote agents where no part does. */
export type RemoteAgentOptions = {
  /** Sends the requests: one with a client certificate, or a double in tests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

const shared: SharedA2A = { cards: new Map(), tokens: new Map() };

/**
 * An agent elsewhere that an agent may ask over A2A: `new Agent({ a2a: remoteAgent("https://agents.example.com/weather") })`. Give the
 * address of its server or card, or settings. Throws `invalid_definition` that names each wrong setting.
 */
export function remoteAgent(
  agent: string | A2AClientConfig,
  options: RemoteAgentOptions = {},
): RemoteAgentValue {
  const settings = typeof agent === "string" ? { endpoint: agent } : agent;
  const read = readClientConfig(settings, namedExtension);
  const { fetch: send = systemFetch } = options;
  const own = options.fetch === undefined ? shared : { cards: new Map(), tokens: new Map() };
  return Object.defineProperty(
    {
      connect: (entries: readonly RemoteAgentEntry[]) =>
        remoteAgents({ entries, access: alone(send), shared: own }),
    },
    CONFIG,
    { value: read },
  );
}

/** Where there is no Worker: requests go where code says. */
function alone(send: typeof fetch): A2AAccess {
  return {
    tenant: "local",
    clock: systemClock,
    fetch: send,
    outbound: {},
    variables: environmentVariables(),
  };
}
