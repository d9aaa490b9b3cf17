// Size and idle limits for answers of untrusted servers.
import type { Clock } from "../../../base/clock.ts";
import { EngineError } from "../../../base/error.ts";

export type BodyBounds = {
  readonly maxBytes: number;
  /** Maximum pause of the sender, in milliseconds. */
  readonly idleMs: number;
  readonly clock: Clock;
  /** Name of the sender in error messages. */
  readonly what: string;
};

/** Returns the body with limits. Reading beyond them fails, and the rest is not received. */
export function boundedStream(
  body: ReadableStream<Uint8Array>,
  bounds: BodyBounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  const stop = async (error: EngineError): Promise<never> => {
    void reader.cancel(error).catch(() => undefined);
    throw error;
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const read = await within(reader.read(), bounds);
      if (read === "silent") return stop(silent(bounds));
      if (read.done) return controller.close();
      bytes += read.value.byteLength;
      if (bytes > bounds.maxBytes) return stop(tooMuch(bounds));
      controller.enqueue(read.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Reads the text of an answer, within the limits. */
export async function remoteText(response: Response, bounds: BodyBounds): Promise<string> {
  if (response.body === null) return "";
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (declared > bounds.maxBytes) {
    await response.body.cancel();
    throw tooMuch(bounds);
  }
  return new Response(boundedStream(response.body, bounds)).text();
}

/** Resolves to the promise's value in time, or to `silent`. */
export async function within<Value>(
  promise: Promise<Value>,
  { clock, idleMs }: Pick<BodyBounds, "clock" | "idleMs">,
): Promise<Value | "silent"> {
  let cancel: (() => void) | undefined;
  const timer = new Promise<"silent">((resolve) => {
    cancel = clock.after(idleMs, () => resolve("silent"));
  });
  try {
    return await Promise.race([promise, timer]);
  } finally {
    cancel?.();
  }
}

/** Returns the error for an idle server. */
export function silent({ what, idleMs }: Pick<BodyBounds, "what" | "idleMs">): EngineError {
  return new EngineError("timeout", `${what} sent no data for ${idleMs / 1000} seconds`, {
    retryable: true,
  });
}

function tooMuch({ what, maxBytes }: BodyBounds): EngineError {
  return new EngineError(
    "tool_failed",
    `${what} answered with more than ${maxBytes} bytes, which are not received`,
  );
}
