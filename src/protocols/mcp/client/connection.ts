// One connection to an MCP server, of either era, for the duration of one request.
import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "../../../base/json.ts";
import type { McpAccess } from "./access.ts";
import type { McpFailure } from "./failures.ts";
import type { McpServerSettings } from "./settings.ts";

/** Era of the protocol's revision: from 2026-07-28 on, or earlier. */
export type Era = "modern" | "legacy";

/** Route to a server, found once and used by later connections. */
export type Route = {
  readonly era: Era;
  readonly transport: "http" | "sse";
  /** A modern server's description of itself. */
  readonly discover?: JsonObject;
};

/** Answers a question that the server asks over the open connection. */
export type AskedDuringCall = (request: {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}) => Promise<JsonObject>;

/** Parameters of a connection. */
export type ConnectionRequest = {
  readonly settings: McpServerSettings;
  readonly access: McpAccess;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Known route of an earlier connection. */
  readonly route?: Route | undefined;
  /** Called when the server reports a change of its tools. */
  readonly changed?: () => void;
  /** @default questions to people are declined, and those to models refused */
  readonly asked?: AskedDuringCall | undefined;
};

/** An open connection. */
export type McpConnection = { readonly client: Client; readonly route: Route };

/** Failure of a connection, or of work on it. */
export class ConnectionFailed extends Error {
  readonly failure: McpFailure;
  /** Sign-in address, if a person's sign-in could prevent the failure. */
  readonly signInUrl: string | undefined;

  constructor(failure: McpFailure, signInUrl: string | undefined) {
    super(failure.error.message, { cause: failure.error });
    this.failure = failure;
    this.signInUrl = signInUrl;
  }
}

/** The step has the timeout; the client's own never fires. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Options of every request on a connection. */
export const REQUEST = { timeout: NO_TIMEOUT_MS } as const;
