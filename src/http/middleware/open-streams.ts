// A6 of auth.ts: what is open with a key ends with it.
import { isValidKey, KEY_HASH_HEADER, KEY_RECHECK_MS } from "../../parts/key-store.ts";
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

/** A stream of events that ends when the caller's key is gone. It is looked at between two pieces, and keep-alives are pieces. */
export function whileKeyIsValid(
  response: Response,
  { keyHash }: Caller,
  { keys, clock }: Pick<AppServices, "keys" | "clock">,
): Response {
  const type = response.headers.get("content-type") ?? "";
  if (keyHash === undefined || response.body === null || !type.startsWith("text/event-stream"))
    return response;
  let validUntilMs = clock.now() + KEY_RECHECK_MS;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      if (clock.now() >= validUntilMs) {
        // Where the database does not answer, the stream goes on: it is asked again.
        const isValid = await keys.find(keyHash).then(
          (key) => isValidKey(key, clock.now()),
          () => true,
        );
        if (!isValid) return controller.terminate();
        validUntilMs = clock.now() + KEY_RECHECK_MS;
      }
      controller.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
