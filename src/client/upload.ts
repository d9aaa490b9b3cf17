import { EngineError } from "../base/error.ts";
import type { FileRef } from "../files/file-ref.ts";
import { countedFetch } from "./counted-fetch.ts";
import { sendFile, type SentFile } from "./send-file.ts";
import { isStream, type BodyBytes, type Transport } from "./transport.ts";

/** Progress of an upload, in bytes; `total` is undefined for a stream. */
export type UploadProgress = { readonly sent: number; readonly total: number | undefined };

/** A file of React Native. */
export type PhoneFile = { readonly uri: string; readonly name: string; readonly type: string };

/** Body of an upload. */
export type UploadBody = BodyBytes | PhoneFile;

/** A file, with a listener for its progress. */
export type Upload = Omit<SentFile, "body" | "fetch"> & {
  readonly body: UploadBody;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
};

/** Like `sendFile`, with progress. */
export async function upload(
  transport: Transport,
  { body: file, onProgress, ...sent }: Upload,
): Promise<FileRef> {
  const body = isPhoneFile(file) ? await bytesOfPhone(file) : file;
  if (onProgress === undefined) return sendFile(transport, { ...sent, body });
  const total = sizeOf(body);
  let most = 0;
  const tell = (bytes: number): void => {
    // A retry begins at zero; the reported progress stays at its maximum.
    if (bytes <= most && bytes !== 0) return;
    most = Math.max(most, bytes);
    onProgress({ sent: most, total });
  };
  tell(0);
  const how = isStream(body) ? { body: counted(body, tell) } : { body, fetch: countedFetch(tell) };
  const ref = await sendFile(transport, { ...sent, ...how });
  if (total !== undefined) tell(total);
  return ref;
}

function isPhoneFile(body: UploadBody): body is PhoneFile {
  return typeof body === "object" && "uri" in body;
}

async function bytesOfPhone({ uri }: PhoneFile): Promise<Blob> {
  const response = await fetch(uri);
  if (response.ok) return response.blob();
  throw new EngineError("invalid_input", `the file ${uri} cannot be read`);
}

function sizeOf(body: BodyBytes): number | undefined {
  if (typeof body === "string") return new Blob([body]).size;
  if ("byteLength" in body) return body.byteLength;
  return "size" in body ? body.size : undefined;
}

/** Returns the stream, with its bytes counted as they are read. */
function counted(
  body: ReadableStream<Uint8Array>,
  tell: (sent: number) => void,
): ReadableStream<Uint8Array> {
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      sent += chunk.byteLength;
      tell(sent);
      controller.enqueue(chunk);
    },
  });
  return body.pipeThrough(count);
}
