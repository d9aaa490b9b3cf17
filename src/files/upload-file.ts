// Uploads files to providers, as steps.
//
//   UPF1. An upload is a step of its own: once its id is recorded, no replay uploads the file again.
//   UPF2. If a provider already keeps a file for this tenant and this account, no run uploads it again.
//   UPF3. A permanent failure is tried once; a temporary one, three times.
import type { RunScope } from "../events/run-scope.ts";
import type { LanguageModel } from "../llm/language-model.ts";
import type { ModelFiles } from "../llm/model-files.ts";
import { sentName } from "../llm/content.ts";
import type { RunFile } from "./file-ref.ts";
import { readBytes } from "./read-bytes.ts";
import { InMemoryUploadCache } from "./in-memory-upload-cache.ts";
import { UPLOAD_MARGIN_MS, type UploadCache, type UploadKey } from "./upload-cache.ts";

const KEPT_SECONDS = 24 * 60 * 60;
const RETRY = { maxAttempts: 3, initialDelayMs: 1000, maxDelayMs: 60_000, maxRetryAfterMs: 60_000 };

export type UploadRequest = {
  readonly file: RunFile & { readonly sha256: string };
  readonly model: LanguageModel;
  /** Uploads the file even if an upload is recorded, because the provider reported it missing. @default false */
  readonly anew?: boolean;
};

/** Returns the provider's id of the file. Throws the provider's errors. */
export async function uploadFile(
  scope: RunScope,
  { file, model, anew = false }: UploadRequest,
): Promise<{ readonly fileId: string; readonly provider: string }> {
  const { files } = model;
  if (files?.upload === undefined) throw new Error(`${model.id} takes no uploads`);
  const provider = model.id.slice(0, Math.max(0, model.id.indexOf("/")));
  const uploads = uploadsOf(scope);
  const account = (await files.account?.()) ?? "";
  const key: UploadKey = { provider, account, sha256: file.sha256 };
  const known = anew ? undefined : await uploads.get(key);
  if (known !== undefined) return { fileId: known.fileId, provider };
  if (anew) await uploads.delete(key);
  const { fileId, expiresAtMs } = await uploadStep(scope, { file, files, provider });
  if (expiresAtMs - UPLOAD_MARGIN_MS > scope.clock.now())
    await uploads.put(key, { fileId, expiresAtMs, model: model.id });
  return { fileId, provider };
}

/** Uploads of each drive, for runs without a cache: a run uploads each file once. */
const uploadsOfDrives = new WeakMap<object, UploadCache>();

function uploadsOf({ services, drive, clock }: RunScope): UploadCache {
  if (services.uploads !== undefined) return services.uploads;
  let own = uploadsOfDrives.get(drive);
  if (own === undefined) uploadsOfDrives.set(drive, (own = new InMemoryUploadCache(clock)));
  return own;
}

function uploadStep(
  scope: RunScope,
  {
    file,
    files,
    provider,
  }: {
    readonly file: UploadRequest["file"];
    readonly files: ModelFiles;
    readonly provider: string;
  },
): Promise<{ readonly fileId: string; readonly expiresAtMs: number }> {
  return scope.at(`upload:${provider}:${file.sha256.slice(0, 16)}`).step({
    kind: "effect",
    label: file.name,
    retry: RETRY,
    run: async ({ signal, idempotencyKey }, inside) => {
      const { name, mediaType } = file;
      const { bytes } = await readBytes(inside, file.at, signal);
      const open = async (): Promise<ReadableStream<Uint8Array>> =>
        new Response(new Uint8Array(bytes)).body ?? new ReadableStream();
      const uploaded = await files.upload?.(
        { name: sentName(name), mediaType, bytes: bytes.length, open },
        { signal, idempotencyKey, expiresInSeconds: KEPT_SECONDS },
      );
      const usual = scope.clock.now() + KEPT_SECONDS * 1000;
      return { fileId: uploaded?.fileId ?? "", expiresAtMs: uploaded?.expiresAtMs ?? usual };
    },
  });
}
