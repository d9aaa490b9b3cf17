import type { ModelCatalog } from "../llm/model-catalog.ts";
import type { UploadCache } from "./upload-cache.ts";

const TIMEOUT_MS = 30_000;

/**
 * Removes a file from the providers with an upload of it, as far as their accounts are still configured. A file that a
 * provider does not delete expires there.
 */
export async function removeUploads(
  sha256: string,
  { uploads, models }: { readonly uploads: UploadCache; readonly models: ModelCatalog },
): Promise<void> {
  for (const upload of await uploads.ofFile(sha256)) {
    await uploads.delete(upload);
    try {
      const { files } = models(upload.model);
      if ((await files?.account?.()) !== upload.account) continue;
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      await files?.remove?.(upload.fileId, { signal });
    } catch {
      // The model is gone, or the provider does not answer. The upload expires later.
    }
  }
}
