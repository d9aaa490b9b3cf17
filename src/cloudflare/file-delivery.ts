// A deployment's tools for delivering files to models: the Images binding, speech recognition, document readers.
import { toBase64 } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";
import { systemClock } from "../base/system.ts";
import type { FileReader, PdfSplitter, Transcriber } from "../files/file-reading.ts";
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { PartEnv, PartServices } from "../parts/part.ts";
import type { BatchDatabase } from "./d1.ts";
import { imageEditorOf } from "./images-binding.ts";
import { D1UploadCache } from "./stores/d1-upload-cache.ts";

/** Conversions of files for models that do not accept them unchanged. */
export type FileDeliverySetting = {
  /**
   * Readers from documents to text: `DOCUMENT_READERS` of `edgecrew/knowledge/readers`. @default those of `knowledge()`
   */
  readonly readers?: readonly FileReader[];
  /** Transcribes sound for models without audio input: `whisper()`. @default sound is only named */
  readonly transcriber?: (env: PartEnv) => Transcriber;
  /** Cuts PDFs in mode `chunk`: `splitPdf` of `edgecrew/files/pdf`. @default PDFs above the limit become text */
  readonly splitPdf?: PdfSplitter;
  /** Name of the Images binding for reducing images. @default "IMAGES", where it is bound */
  readonly images?: string;
};

/** Creates the services of runs for delivering files. */
export function fileDeliveryServices({
  readers,
  transcriber,
  splitPdf,
  images,
}: FileDeliverySetting): PartServices {
  return {
    uploads: ({ env, tenant }) => new D1UploadCache(databaseIn(env), tenant, systemClock),
    imageEditor: ({ env }) => imageEditorOf(env, images),
    ...(readers === undefined ? undefined : { fileReaders: () => readers }),
    ...(transcriber === undefined ? undefined : { transcriber: ({ env }) => transcriber(env) }),
    ...(splitPdf === undefined ? undefined : { splitPdf: () => splitPdf }),
  };
}

function databaseIn(env: PartEnv): BatchDatabase {
  return (env as { readonly DB: BatchDatabase }).DB;
}

const SOUND = ["mpeg", "wav", "ogg", "flac", "aac", "mp4", "opus", "webm"].map(
  (type) => `audio/${type}`,
);

/** Creates a transcriber with a model of Workers AI, through the binding `AI`. */
export function whisper(
  model = "@cf/openai/whisper-large-v3-turbo",
): (env: PartEnv) => Transcriber {
  return (env) => ({
    mediaTypes: SOUND,
    transcribe: async ({ bytes, name }, { signal }) => {
      const { AI } = env as { readonly AI?: AiBinding };
      if (AI === undefined)
        throw new EngineError(
          "invalid_definition",
          "whisper() needs the binding AI in wrangler.toml",
        );
      signal.throwIfAborted();
      const answer = (await AI.run(model, { audio: toBase64(bytes) })) as {
        readonly text?: unknown;
      };
      if (typeof answer.text === "string") return answer.text;
      throw new EngineError("model_failed", `${model} gave no text for ${name}`, {
        retryable: true,
      });
    },
  });
}
