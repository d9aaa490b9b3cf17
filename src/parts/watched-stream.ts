// Streams that end when their caller loses the permission to read them.
import type { Clock } from "../base/clock.ts";
import { KEY_RECHECK_MS } from "./key-store.ts";

/**
 * Checks at most every half a minute; after a negative answer it stays negative. If a check fails, the stream continues
 * until the next one.
 */
export function recheck(
  isValid: () => Promise<boolean>,
  clock: Pick<Clock, "now">,
): () => Promise<boolean> {
  let validUntilMs = clock.now() + KEY_RECHECK_MS;
  let isOver = false;
  return async () => {
    if (isOver || clock.now() < validUntilMs) return !isOver;
    isOver = !(await isValid().catch(() => true));
    validUntilMs = clock.now() + KEY_RECHECK_MS;
    return !isOver;
  };
}

/**
 * Ends an event stream when its caller loses the permission to read it. Checks between two pieces, including
 * keep-alives.
 */
export function whileAllowed(response: Response, isAllowed: () => Promise<boolean>): Response {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || !type.startsWith("text/event-stream")) return response;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      if (await isAllowed()) controller.enqueue(piece);
      else controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
