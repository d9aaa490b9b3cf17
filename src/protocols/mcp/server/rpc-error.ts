import type { JsonValue } from "../../../base/json.ts";

/** Returns an error of JSON-RPC as an answer. */
export function rpcError({
  status,
  code,
  message,
  data,
  id = null,
}: {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly id?: JsonValue;
}): Response {
  const error = data === undefined ? { code, message } : { code, message, data };
  return Response.json({ jsonrpc: "2.0", id, error }, { status });
}
