// One connection to an MCP server, of either era, for as long as one request to it takes.
import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../base/json.ts";
import type { McpAccess } from "./access.ts";
import type { McpFailure } from "./failures.ts";
import type { McpServerSettings } from "./settings.ts";

/** The protocol's revisions: from 2026-07-28 on, or before. */
export type Era = "modern" | "legacy";

/** How a server is reached, found out once and used by later connections. */
export type Route = {
  readonly era: Era;
  readonly transport: "http" | "sse";
  /** What a modern server says of itself. */
  readonly discover?: JsonObject;
};

/** Which connection is opened. */
export type ConnectionRequest = {
  readonly settings: McpServerSettings;
  readonly access: McpAccess;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How it was reached before. */
  readonly route?: Route | undefined;
  /** Runs when the server says that its tools have changed. */
  readonly changed?: () => void;
};

/** An open connection. */
export type McpConnection = { readonly client: Client; readonly route: Route };

/** What an attempt at a connection, or at what was done with it, has failed with. */
export class ConnectionFailed extends Error {
  readonly failure: McpFailure;
  /** Where a person could sign in, so that it would not fail. */
  readonly signInUrl: string | undefined;

  constructor(failure: McpFailure, signInUrl: string | undefined) {
    super(failure.error.message, { cause: failure.error });
    this.failure = failure;
    this.signInUrl = signInUrl;
  }
}

/** Timers are the step's: the client's own never end anything. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What each request of a connection is sent with. */
export const REQUEST = { timeout: NO_TIMEOUT_MS } as const;

/**
 * Opens a connection, does something with it, and closes it. A server that has changed its era since it was found is found again.
 * Throws `ConnectionFailed`. Within a run it is called in steps alone: the first call loads the protocol's client, whose schemas
 * cost a Worker's start more than all of ours.
 */
export async function withConnection<Value>(
  request: ConnectionRequest,
  work: (connection: McpConnection) => Promise<Value>,
): Promise<Value> {
  const { connect } = await import("./connect.ts");
  return connect(request, work);
}
