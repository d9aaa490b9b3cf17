// Anthropic's files API: messages name an uploaded file by its id, until it expires.
import type { Clock } from "../../base/clock.ts";
import { randomId } from "../../base/system.ts";
import { accountOf } from "../account.ts";
import type { Connection } from "../connection.ts";
import type { FileToUpload, ModelFiles, UploadedFile, UploadOptions } from "../model-files.ts";
import { multipartBody } from "../multipart.ts";
import type { ProviderClient } from "../provider-client.ts";
import { unreadableAnswer } from "../provider-failure.ts";
import { LONGEST_MS, withTimeLimit } from "../time-limit.ts";
import { fieldsOf, textOf } from "../wire.ts";
import { toEngineError } from "./errors.ts";

const PATH = "/v1/files";

type Options = {
  readonly id: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly preferUpload: boolean | undefined;
  readonly client: ProviderClient;
};

export function anthropicFiles(options: Options): ModelFiles {
  const { connection, preferUpload } = options;
  return {
    limits: "anthropic",
    preferUpload,
    account: () => accountOf(connection),
    upload: (file, upload) =>
      send(options, upload.signal, (client, signal) =>
        uploaded(options, client, { ...upload, file, signal }),
      ),
    remove: (fileId, removal) =>
      send(options, removal.signal, async (client, signal) => {
        const path = `${PATH}/${encodeURIComponent(fileId)}`;
        await client.json(path, { method: "DELETE", signal });
      }),
  };
}

async function uploaded(
  { id }: Options,
  client: ProviderClient,
  {
    file,
    signal,
    idempotencyKey,
    expiresInSeconds,
  }: UploadOptions & { readonly file: FileToUpload },
): Promise<UploadedFile> {
  const boundary = `upload-${randomId()}`;
  const form = await multipartBody(
    [["expires_in_seconds", String(expiresInSeconds)]],
    file,
    boundary,
  );
  const answer = await client.json(PATH, {
    body: form.stream,
    headers: {
      "content-type": form.contentType,
      "content-length": String(form.length),
      ...(idempotencyKey === undefined ? undefined : { "Idempotency-Key": idempotencyKey }),
    },
    signal,
  });
  const { id: fileId, expires_at: expiresAt } = fieldsOf(answer);
  if (textOf(fileId) === "") throw unreadableAnswer(id, "took a file and named no id");
  const expiresAtMs = Date.parse(textOf(expiresAt));
  return { fileId: textOf(fileId), ...(Number.isNaN(expiresAtMs) ? undefined : { expiresAtMs }) };
}

function send<T>(
  { id: modelId, clock, client }: Options,
  outer: AbortSignal,
  call: (client: ProviderClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withTimeLimit({ modelId, clock, signal: outer, timeoutMs: LONGEST_MS }, async (signal) => {
    try {
      return await call(client, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw toEngineError(error, { modelId, nowMs: clock.now() });
    }
  });
}
