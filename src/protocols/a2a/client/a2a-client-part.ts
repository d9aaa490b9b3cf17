// Calls of remote agents from a Worker: the part for `defineApp({ parts: [a2aClient()] })`.
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import { EngineError } from "../../../base/error.ts";
import { systemClock, systemFetch } from "../../../base/system.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, preview } from "../../../base/json.ts";
import type { RemoteAgentSettings } from "../../../agent/description/agent-offer.ts";
import { markAsData } from "../../../llm/definition-rules.ts";
import { operation, type Operation } from "../../../parts/operation.ts";
import type { Part, PartHost, PartPlace } from "../../../parts/part.ts";
import type { Clock } from "../../../base/clock.ts";
import { a2aEvents } from "../events.ts";
import { readServerConfig } from "../server-config.ts";
import { AgentAccess, type A2AAccess } from "./access.ts";
import type { A2ASecret } from "./auth-config.ts";
import { callbackAddresses, takeCallback } from "./callbacks.ts";
import { readClientConfig, type RemoteAgentConfig } from "./config.ts";
import { namedExtension } from "./named-extension.ts";
import { remoteAgents, type SharedA2A } from "./remote-agents.ts";

/** Options of `a2aClient()`. */
export type A2AClientOptions = {
  /**
   * Hosts permitted in stored definitions: `agents.example.com`, `*.example.com`. Secrets named by definitions are sent
   * only to them.
   * @default every public host, over https, without secrets
   */
  readonly hosts?: readonly string[];
  /**
   * Public address of this Worker's API, for callbacks of remote agents: `https://crew.example.com`. @default no
   * callbacks
   */
  readonly callbackUrl?: string;
  /** Sends the requests, such as the `fetch` of an mTLS binding. @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** @default the machine's */
  readonly clock?: Clock;
};

const OPTIONS = definitionOptions<A2AClientOptions>("a2aClient()", {
  hosts: true,
  callbackUrl: true,
  fetch: true,
  clock: true,
});

/** Creates the part. Fails with `invalid_definition` for invalid options. */
export function a2aClientPart(options: A2AClientOptions): Part {
  refuseUnknownOptions(options, OPTIONS);
  const { hosts, callbackUrl, fetch: send = systemFetch, clock = systemClock } = options;
  if (callbackUrl !== undefined && !/^https?:/.test(URL.canParse(callbackUrl) ? callbackUrl : ""))
    throw invalidDefinition(
      `a2aClient: callbackUrl must be an http(s) address, got ${preview(callbackUrl)}`,
    );
  if (
    hosts !== undefined &&
    !(Array.isArray(hosts) && hosts.every((each) => typeof each === "string" && each !== ""))
  )
    throw invalidDefinition(`a2aClient: hosts must be a list of names, got ${preview(hosts)}`);
  const shared: SharedA2A = { cards: new Map(), tokens: new Map() };
  const accessOf = ({ tenant, environment, outbound }: PartPlace): A2AAccess => ({
    tenant,
    clock,
    fetch: send,
    outbound,
    variables: environment.variables,
    rules: environment.definitions,
    hosts,
  });
  return {
    name: "a2a-client",
    docs: "a2a.md",
    events: a2aEvents,
    services: {
      a2a: (place) => {
        const access = accessOf(place);
        const addresses = callbackAddresses(place.environment.variables["EDGECREW_SECRETS_KEY"]);
        return {
          source: (entries) =>
            remoteAgents({
              entries,
              access,
              shared,
              callbacks: { addresses, baseUrl: callbackUrl },
            }),
          faults: (settings) => faultOf(settings, access),
        };
      },
    },
    bind: (host) => ({ operations: [callbackOperation(host)] }),
  };
}

function callbackOperation(host: PartHost): Operation {
  return operation({
    id: "takeA2ACallback",
    group: "A2A",
    method: "post",
    path: "/a2a/callbacks/{token}",
    scope: "none",
    summary: "Take a callback of a remote agent",
    description:
      'A remote agent that was asked with `updates: { type: "push" }` calls this address when it is done. Needs no key: the address itself and further credentials in the settings authenticate the call. The body is a task, a message or an update, of A2A 1.0 or 0.3.',
    sample: { needs: "the address that a run gave to a remote agent" },
    answers: { 204: { description: "Accepted, also if no run waits for it any more" } },
    problems: [400, 404, 413, 503],
    handle: async ({ params, raw }) => {
      await takeCallback(params["token"] ?? "", raw, host);
      return { status: 204 };
    },
  });
}

/** Returns the fault of settings in a stored definition. */
function faultOf(settings: RemoteAgentSettings, base: A2AAccess): string | undefined {
  try {
    if (!("endpoint" in settings)) {
      readServerConfig(settings);
      return undefined;
    }
    const { config } = readClientConfig(markAsData(structuredClone(settings)), namedExtension);
    const access = new AgentAccess(base, config.endpoint, true);
    access.checkAddress(config.endpoint, "endpoint");
    for (const [field, secret, address] of secretsOf(config))
      access.checkSecret(secret, address, field);
    return undefined;
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return error.message;
  }
}

/** Yields the secrets of settings, each with its target address. */
function* secretsOf({
  endpoint,
  auth,
  updates,
}: RemoteAgentConfig): Generator<readonly [string, A2ASecret, string]> {
  const address = auth !== undefined && "tokenUrl" in auth ? auth.tokenUrl : endpoint;
  for (const [field, value] of Object.entries(auth ?? {}))
    if (isSecret(value)) yield [`auth.${field}`, value, address];
  if (updates.type !== "push") return;
  if (updates.token !== undefined) yield ["updates.token", updates.token, endpoint];
  const { authentication, signature } = updates;
  if (authentication?.credentials !== undefined)
    yield ["updates.authentication.credentials", authentication.credentials, endpoint];
  if (signature?.secret !== undefined)
    yield ["updates.signature.secret", signature.secret, endpoint];
}

function isSecret(value: unknown): value is A2ASecret {
  return isJsonObject(value) && ("secret" in value || "sealed" in value);
}
