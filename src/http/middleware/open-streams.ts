// A6 of auth.ts: streams end with their key.
import { isValidKey, KEY_HASH_HEADER } from "../../parts/key-store.ts";
import { recheck, whileAllowed } from "../../parts/watched-stream.ts";
import type { AppServices, Caller } from "../services.ts";

/**
 * Returns the request for the run's object, with the hash of the key for a socket. A hash sent by the client is
 * removed.
 */
export function withKeyHash(request: Request, keyHash: string | undefined): Request {
  const upgrades = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  if (!upgrades && !request.headers.has(KEY_HASH_HEADER)) return request;
  const headers = new Headers(request.headers);
  if (keyHash === undefined) headers.delete(KEY_HASH_HEADER);
  else headers.set(KEY_HASH_HEADER, keyHash);
  return new Request(request, { headers });
}

/** Wraps a stream of events: it ends when the caller's key is no longer valid. */
export function whileKeyIsValid(
  response: Response,
  { keyHash }: Caller,
  { keys, clock }: Pick<AppServices, "keys" | "clock">,
): Response {
  if (keyHash === undefined) return response;
  const isValid = async (): Promise<boolean> => isValidKey(await keys.find(keyHash), clock.now());
  return whileAllowed(response, recheck(isValid, clock));
}
