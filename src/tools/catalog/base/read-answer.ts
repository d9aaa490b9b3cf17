// Responses are read up to a limit and counted during the read, as their declared length is not reliable.
import type { EngineError } from "../../../base/error.ts";
import { readUpTo } from "../../../base/read-up-to.ts";
import { serviceFailure } from "./service-failure.ts";

/** Returns the bytes of a response. Throws the failure `too_large` beyond the limit, without reading the rest. */
export async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(response.headers.get("content-length") ?? "");
  if (announced > maxBytes) {
    void response.body?.cancel().catch(() => undefined);
    throw tooLarge(maxBytes);
  }
  if (response.body === null) return new Uint8Array();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const bytes = await readUpTo(reader, maxBytes);
  if (bytes !== undefined) return bytes;
  void reader.cancel().catch(() => undefined);
  throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): EngineError {
  const limit =
    maxBytes >= 1_048_576 ? `${Math.floor(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`;
  return serviceFailure({ code: "too_large", message: `The answer is larger than ${limit}.` });
}
