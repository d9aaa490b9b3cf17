import { formUploads, type FormUploadOptions } from "../form-uploads.ts";
import type { ModelFiles } from "../model-files.ts";
import { textOf } from "../wire.ts";
import { toEngineError } from "./errors.ts";

/** Anthropic's files API. */
export function anthropicFiles(options: FormUploadOptions): ModelFiles {
  return {
    limits: "anthropic",
    ...formUploads(options, {
      path: "/v1/files",
      fields: (_, expiresInSeconds) => [["expires_in_seconds", String(expiresInSeconds)]],
      expiresAtMs: (value) => Date.parse(textOf(value)),
      toEngineError,
    }),
  };
}
