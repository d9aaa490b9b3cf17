// Files of providers with a files API of forms: messages name an uploaded file by its id, until it expires.
import type { Clock } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { randomId } from "../base/system.ts";
import { accountOf } from "./account.ts";
import type { FailedCall } from "./api-error.ts";
import type { Connection } from "./connection.ts";
import type { FileToUpload, ModelFiles, UploadedFile, UploadOptions } from "./model-files.ts";
import { multipartBody } from "./multipart.ts";
import type { ProviderClient } from "./provider-client.ts";
import { unreadableAnswer } from "./provider-failure.ts";
import { LONGEST_MS, withTimeLimit } from "./time-limit.ts";
import { fieldsOf, textOf } from "./wire.ts";

export type FormUploadOptions = {
  readonly id: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly preferUpload: boolean | undefined;
  readonly client: ProviderClient;
};

/** Differences between the providers. */
export type FilesApi = {
  readonly path: string;
  /** @default no limit */
  readonly maxBytes?: number;
  /** Fields of the form beside the file. */
  readonly fields: (
    file: FileToUpload,
    expiresInSeconds: number,
  ) => readonly (readonly [name: string, value: string])[];
  /** Reads `expires_at`; NaN if it is unknown. */
  readonly expiresAtMs: (value: unknown) => number;
  readonly toEngineError: (error: unknown, about: FailedCall) => EngineError;
};

/** Uploads and removes files of one provider. `ModelFiles.limits` is the caller's. */
export function formUploads(
  options: FormUploadOptions,
  api: FilesApi,
): Pick<ModelFiles, "preferUpload" | "account" | "upload" | "remove"> {
  const { id: modelId, connection, clock, client, preferUpload } = options;
  const send = <T>(outer: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withTimeLimit({ modelId, clock, signal: outer, timeoutMs: LONGEST_MS }, async (signal) => {
      try {
        return await call(signal);
      } catch (error) {
        signal.throwIfAborted();
        throw api.toEngineError(error, { modelId, nowMs: clock.now() });
      }
    });
  return {
    preferUpload,
    account: () => accountOf(connection),
    upload: (file, upload) =>
      send(upload.signal, (signal) => uploaded(options, api, { ...upload, file, signal })),
    remove: (fileId, removal) =>
      send(removal.signal, async (signal) => {
        const path = `${api.path}/${encodeURIComponent(fileId)}`;
        await client.json(path, { method: "DELETE", signal });
      }),
  };
}

async function uploaded(
  { id, client }: FormUploadOptions,
  { path, maxBytes = Infinity, fields, expiresAtMs }: FilesApi,
  upload: UploadOptions & { readonly file: FileToUpload },
): Promise<UploadedFile> {
  const { file, signal, idempotencyKey, expiresInSeconds } = upload;
  if (file.bytes > maxBytes)
    throw new EngineError(
      "payload_too_large",
      `${file.name} is ${file.bytes} bytes; ${id} takes files of ${maxBytes}`,
    );
  const form = await multipartBody(fields(file, expiresInSeconds), file, `upload-${randomId()}`);
  const answer = await client.json(path, {
    body: form.stream,
    headers: {
      "content-type": form.contentType,
      "content-length": String(form.length),
      ...(idempotencyKey === undefined ? undefined : { "Idempotency-Key": idempotencyKey }),
    },
    signal,
  });
  const { id: fileId, expires_at: expiry } = fieldsOf(answer);
  if (textOf(fileId) === "") throw unreadableAnswer(id, "took a file and named no id");
  const atMs = expiresAtMs(expiry);
  return { fileId: textOf(fileId), ...(Number.isNaN(atMs) ? undefined : { expiresAtMs: atMs }) };
}
