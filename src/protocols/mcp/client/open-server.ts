// A discovered server, for its tools.
import type { RunScope } from "../../../events/run-scope.ts";
import type { ToolSourceOwner } from "../../../tools/tool-source.ts";
import type { McpAccess } from "./access.ts";
import {
  ConnectionFailed,
  type ConnectionRequest,
  type McpConnection,
  type Route,
} from "./connection.ts";
import type { McpServerSettings } from "./settings.ts";
import { withConnection } from "./with-connection.ts";

/** Names of a server in events. */
export type ServerLabel = {
  readonly serverName: string;
  /** Address without its query. */
  readonly serverUrl: string;
  readonly transportType: string;
};

/** A server, with its route. */
export type OpenServer = {
  readonly settings: McpServerSettings;
  /** Access of the deployment, or of the run. */
  readonly access: (scope: RunScope) => McpAccess;
  readonly about: ServerLabel;
  /** Route used by the discovery. */
  readonly route: Route;
  /** Agent with these tools. */
  readonly owner: ToolSourceOwner;
  /** Called when the server reports a change of its tools. */
  readonly changed: () => void;
};

/** Runs `work` on a connection of its own, by the discovered route. Throws `ConnectionFailed`. */
export function connectedTo<Value>(
  { settings, access, route, changed }: OpenServer,
  { scope, ...how }: { readonly scope: RunScope } & Pick<ConnectionRequest, "signal" | "asked">,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  const { clock } = scope;
  const now = (): number => clock.now();
  return withConnection({ settings, access: access(scope), now, route, changed, ...how }, work);
}

/** Like `connectedTo`, but throws the error for a step's record. */
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
