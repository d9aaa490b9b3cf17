import type { FileRef } from "../files/file-ref.ts";
import { isStream, type BodyBytes, type RequestOptions, type Transport } from "./transport.ts";

/** A file to send. */
export type SentFile = Pick<RequestOptions, "query" | "signal" | "fetch"> & {
  readonly body: BodyBytes;
  readonly mediaType: string;
  /** The same key is the same file, even if it is sent repeatedly. */
  readonly key: string;
};

/** Sends a file. A stream is sent once; any other body is sent again if there is no answer. */
export function sendFile(
  transport: Transport,
  { body, mediaType, key, ...options }: SentFile,
): Promise<FileRef> {
  return transport.json("/files", {
    method: "POST",
    text: { type: mediaType, body },
    headers: { "idempotency-key": key },
    attempts: isStream(body) ? 1 : 3,
    isSlow: true,
    ...options,
  });
}
