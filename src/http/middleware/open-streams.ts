// A6 of auth.ts: what is open with a key ends with it.
import { isValidKey, KEY_HASH_HEADER } from "../../parts/key-store.ts";
import { recheck, whileAllowed } from "../../parts/watched-stream.ts";
import type { AppServices, Caller } from "../services.ts";

/** The request as the run's object gets it: with the hash of the key for a socket, and never with one that a client sent. */
export function withKeyHash(request: Request, keyHash: string | undefined): Request {
  const upgrades = request.headers.get("upgrade")?.toLowerCase() === "websocket";
  if (!upgrades && !request.headers.has(KEY_HASH_HEADER)) return request;
  const headers = new Headers(request.headers);
  if (keyHash === undefined) headers.delete(KEY_HASH_HEADER);
  else headers.set(KEY_HASH_HEADER, keyHash);
  return new Request(request, { headers });
}

/** A stream of events that ends when the caller's key is gone. */
export function whileKeyIsValid(
  response: Response,
  { keyHash }: Caller,
  { keys, clock }: Pick<AppServices, "keys" | "clock">,
): Response {
  if (keyHash === undefined) return response;
  const isValid = async (): Promise<boolean> =>
    isValidKey(await keys.find(keyHash), clock.now());
  return whileAllowed(response, recheck(isValid, clock));
}
