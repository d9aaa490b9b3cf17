// Connects to an MCP server with the protocol's client.
//
//   XN1. A session unknown to its server is replaced once, and its request is repeated: a server with this answer has
//        not executed it.
import {
  Client,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnsupportedProtocolVersionError,
  type PriorDiscovery,
  type Transport,
} from "@modelcontextprotocol/client";
import { EngineError } from "../../../base/error.ts";
import type { JsonObject } from "../../../base/json.ts";
import { randomBytes } from "../../../base/system.ts";
import { headersOf, revealed } from "./access.ts";
import { AuthorizationCodeAuth } from "./auth/authorization-code.ts";
import { ClientCredentialsAuth } from "./auth/client-credentials.ts";
import {
  ConnectionFailed,
  REQUEST,
  type ConnectionRequest,
  type McpConnection,
  type Route,
} from "./connection.ts";
import { failureOfServer } from "./failures.ts";
import { guardedFetch, type GuardedFetch } from "./guarded-fetch.ts";
import { RepairingTransport } from "./repairing-transport.ts";
import { shownUrl } from "./tool-names.ts";

const CLIENT = { name: "edgecrew", version: "1" };
const TASKS = "io.modelcontextprotocol/tasks";
/** The known route no longer reaches the server, which has done no work yet. */
class RouteGone extends Error {}
/** The server no longer knows the session, and has done no work in it. */
class SessionLost extends Error {
  /** Answer of the server. */
  readonly failure: ConnectionFailed;

  constructor(failure: ConnectionFailed) {
    super(failure.message, { cause: failure });
    this.failure = failure;
  }
}

/** Implements `withConnection`. */
export async function connect<Value>(
  request: ConnectionRequest,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  try {
    return await overConnection(request, work);
  } catch (error) {
    if (!(error instanceof RouteGone) && !(error instanceof SessionLost)) throw error;
    const again = error instanceof SessionLost ? request : { ...request, route: undefined };
    return overConnection(again, work).catch((second: unknown) => {
      throw second instanceof SessionLost ? second.failure : second;
    });
  }
}

async function overConnection<Value>(
  request: ConnectionRequest,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  const { settings, access, signal } = request;
  const end = new AbortController();
  const guard = guardedFetch({
    outbound: access.outbound,
    trustedOrigin: settings.fromData ? undefined : new URL(settings.url).origin,
    maxResponseBytes: settings.maxResponseBytes,
    signal: AbortSignal.any([signal, end.signal]),
    fetch: access.fetch,
  });
  let isOpen = false;
  let hasSession = false;
  let provider: Provider | undefined;
  try {
    provider = await providerOf(request);
    const connection = await opened(request, guard, provider);
    isOpen = true;
    hasSession = connection.client.transport?.sessionId !== undefined;
    try {
      return await Promise.race([work(connection), aborted(signal)]);
    } finally {
      await closed(connection);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (request.route !== undefined && isOtherEra(error, isOpen)) throw new RouteGone();
    const server = settings.name ?? shownUrl(settings.url);
    const failure = failureOfServer(error, server, guard.refusal());
    const failed = new ConnectionFailed(
      isOpen ? failure : { ...failure, wasRefused: true },
      provider instanceof AuthorizationCodeAuth ? provider.signInUrl : undefined,
    );
    // MCP 2025-11-25, Transports, Session Management: 404 means the session is gone.
    const isLost = hasSession && error instanceof SdkHttpError && error.status === 404;
    throw isLost ? new SessionLost(failed) : failed;
  } finally {
    end.abort(new EngineError("run_cancelled", "the connection was closed"));
  }
}

/** True if a server refuses its known protocol revision. */
function isOtherEra(error: unknown, wasOpen: boolean): boolean {
  if (wasOpen) return error instanceof UnsupportedProtocolVersionError;
  if (error instanceof SdkHttpError) return [400, 404, 405, 426].includes(error.status);
  return error instanceof ProtocolError;
}

type Provider = ClientCredentialsAuth | AuthorizationCodeAuth;

async function providerOf({
  settings,
  access,
  now,
}: ConnectionRequest): Promise<Provider | undefined> {
  const { auth, url } = settings;
  if (typeof auth !== "object" || !("oauth" in auth)) return undefined;
  const { oauth } = auth;
  const { tokens } = access;
  const clientSecret =
    oauth.clientSecret === undefined ? undefined : await revealed(oauth.clientSecret, access);
  return oauth.redirectUrl === undefined
    ? new ClientCredentialsAuth({ url, oauth, clientSecret: clientSecret ?? "", tokens, now })
    : new AuthorizationCodeAuth({ url, oauth, clientSecret, tokens, now });
}

async function opened(
  request: ConnectionRequest,
  guard: GuardedFetch,
  authProvider: Provider | undefined,
): Promise<McpConnection> {
  const { settings, route, access, signal } = request;
  const options = {
    fetch: guard.fetch,
    requestInit: { headers: await headersOf(settings, access) },
    // Client credentials always get their full scope; a person can be asked for more.
    onInsufficientScope:
      authProvider instanceof AuthorizationCodeAuth ? ("reauthorize" as const) : ("throw" as const),
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 2_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
    ...(authProvider === undefined ? undefined : { authProvider }),
  };
  const url = new URL(settings.url);
  const over = async (transport: "http" | "sse"): Promise<McpConnection> => {
    const inner: Transport =
      transport === "sse"
        ? new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    const client = clientOf(request);
    const prior = route === undefined ? undefined : priorOf(route);
    await Promise.race([
      client.connect(new RepairingTransport(inner, firstId()), {
        ...REQUEST,
        ...(transport === "sse" ? { prior: { kind: "legacy" } as const } : prior),
      }),
      aborted(signal),
    ]);
    return { client, route: routeOf(client, transport) };
  };
  const transport = settings.transport ?? route?.transport;
  if (transport !== undefined) return over(transport);
  try {
    return await over("http");
  } catch (error) {
    if (!(error instanceof SdkHttpError) || ![400, 404, 405].includes(error.status)) throw error;
    // MCP 2025-11-25, Transports, Backwards Compatibility: a server of the first revision gives this answer to a POST.
    return over("sse").catch(() => {
      throw error;
    });
  }
}

/** Returns a random whole number within every server's range. */
function firstId(): number {
  return randomBytes(5).reduce((sum, byte) => sum * 256 + byte, 0);
}

function clientOf({ settings, changed, asked }: ConnectionRequest): Client {
  const { elicitation, sampling } = settings;
  const client = new Client(CLIENT, {
    capabilities: {
      ...(elicitation ? { elicitation: { form: {}, url: {} } } : undefined),
      ...(sampling === false ? undefined : { sampling: {} }),
      extensions: { [TASKS]: {} },
    },
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  // Servers of the older era ask over the open connection.
  if (elicitation)
    client.setRequestHandler("elicitation/create", async (request) =>
      asked === undefined ? { action: "decline" } : ((await asked(request as never)) as never),
    );
  if (sampling !== false)
    client.setRequestHandler("sampling/createMessage", async (request) => {
      if (asked === undefined) throw new Error("a model is asked during calls of tools alone");
      return (await asked(request as never)) as never;
    });
  if (changed !== undefined)
    client.setNotificationHandler("notifications/tools/list_changed", async () => changed());
  return client;
}

function priorOf({ era, discover }: Route): { readonly prior: PriorDiscovery } | undefined {
  if (era === "legacy") return { prior: { kind: "legacy" } };
  return discover === undefined
    ? undefined
    : {
        prior: { kind: "modern", discover } as unknown as PriorDiscovery,
      };
}

function routeOf(client: Client, transport: "http" | "sse"): Route {
  const result = client.getDiscoverResult();
  const discover = result && {
    supportedVersions: result.supportedVersions,
    capabilities: result.capabilities as JsonObject,
  };
  return {
    era: client.getProtocolEra() ?? "legacy",
    transport,
    ...(discover === undefined ? undefined : { discover }),
  };
}

async function closed({ client }: McpConnection): Promise<void> {
  const { transport } = client;
  if (transport instanceof RepairingTransport)
    await transport.terminateSession().catch(() => undefined);
  await client.close().catch(() => undefined);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
