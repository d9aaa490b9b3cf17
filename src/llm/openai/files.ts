// OpenAI's files API: messages name an uploaded file by its id, until it expires.
import { EngineError } from "../../base/error.ts";
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

const PATH = "/files";
const MAX_BYTES = 536_870_912;

type Options = {
  readonly id: string;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly preferUpload: boolean | undefined;
  readonly client: ProviderClient;
  /** True if the model uses the Responses API. */
  readonly speaksResponses: () => boolean;
};

/** The files of OpenAI itself. */
export function openaiFiles(options: Options): ModelFiles {
  const { connection, preferUpload, speaksResponses } = options;
  return {
    get limits() {
      return speaksResponses() ? "openai-responses" : "openai";
    },
    preferUpload,
    account: () => accountOf(connection),
    upload: (file, upload) =>
      send(options, upload.signal, (client, signal) =>
        uploaded(options, client, { ...upload, file, signal }),
      ),
    remove: (fileId, removal) =>
      send(options, removal.signal, async (client, signal) => {
        await client.json(`${PATH}/${encodeURIComponent(fileId)}`, { method: "DELETE", signal });
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
  if (file.bytes > MAX_BYTES)
    throw new EngineError(
      "payload_too_large",
      `${file.name} is ${file.bytes} bytes; ${id} takes files of ${MAX_BYTES}`,
    );
  const fields = [
    ["purpose", file.mediaType.startsWith("image/") ? "vision" : "user_data"],
    ["expires_after[anchor]", "created_at"],
    ["expires_after[seconds]", String(expiresInSeconds)],
  ] as const;
  const form = await multipartBody(fields, file, `upload-${randomId()}`);
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
  return {
    fileId: textOf(fileId),
    ...(typeof expiresAt === "number" ? { expiresAtMs: expiresAt * 1000 } : undefined),
  };
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
