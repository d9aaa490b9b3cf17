import { formUploads, type FormUploadOptions } from "../form-uploads.ts";
import type { ModelFiles } from "../model-files.ts";
import { toEngineError } from "./errors.ts";

type Options = FormUploadOptions & {
  /** True if the model uses the Responses API. */
  readonly speaksResponses: () => boolean;
};

/** OpenAI's files API. */
export function openaiFiles(options: Options): ModelFiles {
  return {
    get limits() {
      return options.speaksResponses() ? "openai-responses" : "openai";
    },
    ...formUploads(options, {
      path: "/files",
      maxBytes: 536_870_912,
      fields: ({ mediaType }, expiresInSeconds) => [
        ["purpose", mediaType.startsWith("image/") ? "vision" : "user_data"],
        ["expires_after[anchor]", "created_at"],
        ["expires_after[seconds]", String(expiresInSeconds)],
      ],
      expiresAtMs: (value) => (typeof value === "number" ? value * 1000 : Number.NaN),
      toEngineError,
    }),
  };
}
