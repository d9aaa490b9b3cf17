import { EngineError } from "../base/error.ts";
import type { FileRef } from "../files/file-ref.ts";
import type { BodyBytes, Transport } from "./transport.ts";

/** How much of a file has been sent, in bytes; `total` is undefined for a stream. */
export type UploadProgress = { readonly sent: number; readonly total: number | undefined };

/** What React Native calls a file. */
export type PhoneFile = { readonly uri: string; readonly name: string; readonly type: string };

/** What can be uploaded. */
export type UploadBody = BodyBytes | PhoneFile;

export type Sending = {
  readonly body: UploadBody;
  readonly mediaType: string;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  /** The same key is the same file, however often it is sent. */
  readonly key: string;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Sends a file. A stream is sent once; everything else is sent again when no answer came. */
export async function upload(transport: Transport, sending: Sending): Promise<FileRef> {
  const { mediaType, query, key, onProgress, signal } = sending;
  const body = isPhoneFile(sending.body) ? await bytesOfPhone(sending.body) : sending.body;
  const isStream = typeof body === "object" && "getReader" in body;
  const total = sizeOf(body);
  let most = 0;
  const tell = (sent: number): void => {
    // Sent again, it begins at nothing; whoever watches sees it stand still.
    if (sent <= most && sent !== 0) return;
    most = Math.max(most, sent);
    onProgress?.({ sent: most, total });
  };
  tell(0);
  const ref = await transport.json<FileRef>("/files", {
    method: "POST",
    query,
    text: { type: mediaType, body: isStream && onProgress ? counted(body, tell) : body },
    headers: { "idempotency-key": key },
    attempts: isStream ? 1 : 3,
    isSlow: true,
    signal,
    ...(isStream || onProgress === undefined ? undefined : { onSent: tell }),
  });
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

/** The stream, counted while it is read. */
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
