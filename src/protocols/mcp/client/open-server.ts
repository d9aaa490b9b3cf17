// A server that a run has found, as its tools use it.
import type { RunScope } from "../../../events/run-scope.ts";
import type { ToolSourceOwner } from "../../../tools/tool-source.ts";
import type { McpAccess } from "./access.ts";
import { ConnectionFailed, withConnection, type McpConnection, type Route } from "./connection.ts";
import type { McpServerSettings } from "./settings.ts";

/** How events name a server. */
export type ServerLabel = {
  readonly serverName: string;
  /** Without its query. */
  readonly serverUrl: string;
  readonly transportType: string;
};

/** A server with the way to it. */
export type OpenServer = {
  readonly settings: McpServerSettings;
  /** The deployment's, or what the run has at hand. */
  readonly access: (scope: RunScope) => McpAccess;
  readonly about: ServerLabel;
  /** How the discovery reached it. */
  readonly route: Route;
  /** Whose tools they are. */
  readonly owner: ToolSourceOwner;
  /** Runs when the server says that its tools have changed. */
  readonly changed: () => void;
};

/** Does something on a connection of its own, by the way that the discovery found. Throws `ConnectionFailed`. */
export function connectedTo<Value>(
  { settings, access, route, changed }: OpenServer,
  { scope, signal }: { readonly scope: RunScope; readonly signal: AbortSignal },
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  const { clock } = scope;
  const now = (): number => clock.now();
  return withConnection({ settings, access: access(scope), signal, now, route, changed }, work);
}

/** As `connectedTo`; throws what of a failure a step records. */
export async function connected<Value>(
  server: OpenServer,
  place: { readonly scope: RunScope; readonly signal: AbortSignal },
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  try {
    return await connectedTo(server, place, work);
  } catch (error) {
    if (error instanceof ConnectionFailed) throw error.failure.error;
    throw error;
  }
}
