import type { ConnectionRequest, McpConnection } from "./connection.ts";

/**
 * Opens a connection, runs `work` on it, and closes it. If the server has changed its era, finds its route again.
 * Throws `ConnectionFailed`. Runs call it only in steps: the first call loads the protocol's client, whose schemas
 * would cost a Worker's start more than all of ours.
 */
export async function withConnection<Value>(
  request: ConnectionRequest,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  const { connect } = await import("./connect.ts");
  return connect(request, work);
}
