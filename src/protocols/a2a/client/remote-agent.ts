// A remote agent as a value of code, with its own connection.
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import { environmentVariables, systemClock, systemFetch } from "../../../base/system.ts";
import type { RemoteAgentEntry, RemoteAgentValue } from "../../../agent/description/agent-offer.ts";
import type { A2AAccess } from "./access.ts";
import { readClientConfig, type A2AClientConfig } from "./config.ts";
import { namedExtension } from "./named-extension.ts";
import { CONFIG, remoteAgents, type SharedA2A } from "./remote-agents.ts";

/** Connection to remote agents from code, without the part. */
export type RemoteAgentOptions = {
  /** Sends the requests, for example with a client certificate, or as a double in tests. @default the global `fetch` */
  readonly fetch?: typeof fetch;
};

const shared: SharedA2A = { cards: new Map(), tokens: new Map() };

const OPTIONS = definitionOptions<RemoteAgentOptions>("remoteAgent()", {
  fetch: true,
});

/**
 * A remote agent to call over A2A: `new Agent({ a2a: remoteAgent("https://agents.example.com/weather") })`. Takes the
 * address of its server or card, or settings. Fails with `invalid_definition`, with an issue for each wrong setting.
 */
export function remoteAgent(
  agent: string | A2AClientConfig,
  options: RemoteAgentOptions = {},
): RemoteAgentValue {
  refuseUnknownOptions(options, OPTIONS);
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

/** Access outside of a Worker: the code alone chooses the targets. */
function alone(send: typeof fetch): A2AAccess {
  return {
    tenant: "local",
    clock: systemClock,
    fetch: send,
    outbound: {},
    variables: environmentVariables(),
  };
}
