// Capabilities of a model, from its settings, its provider and its name.
import { PLAIN_SETTINGS, REQUEST_SETTINGS } from "./answer-settings.ts";
import type { ModelCapabilities } from "./language-model.ts";
import { readsPdfs, seesImages, takesAudio, takesVideo } from "./model-data.ts";
import type { NormalSettings } from "./model-settings.ts";
import { takesResponseSchema, takesStop, takesTools } from "./openai/capabilities.ts";
import type { Provider } from "./providers.ts";

/** `reads`: true if its endpoint accepts the media its models' names promise, beside text and images. */
export function capabilities(
  provider: Provider,
  settings: NormalSettings,
  { reads = true }: { readonly reads?: boolean } = {},
): ModelCapabilities {
  const { model } = settings;
  return {
    tools: settings.toolCalling !== "text" && !lacks(provider, "tools") && takesTools(model),
    responseSchema: !lacks(provider, "responseSchema") && takesResponseSchema(model),
    stop: takesStop(model) && settings.api !== "responses",
    settings:
      settings.api === "responses" || provider.api === "bedrock"
        ? PLAIN_SETTINGS
        : REQUEST_SETTINGS,
    ...mediaCapabilities(`${provider.id}/${model}`, {
      ...settings,
      ...(reads ? undefined : { pdf: settings.pdf ?? false, audio: settings.audio ?? false }),
      ...(reads ? undefined : { video: settings.video ?? false }),
    }),
  };
}

/** Returns the accepted media beside text: from the settings, else by the model's name. */
export function mediaCapabilities(
  id: string,
  { vision, pdf, audio, video }: NormalSettings,
): Pick<ModelCapabilities, "vision" | "pdf" | "audio" | "video"> {
  const readsDocuments = pdf ?? (vision === false ? false : readsPdfs(id) || undefined);
  return {
    vision: vision ?? seesImages(id),
    ...(readsDocuments === undefined ? undefined : { pdf: readsDocuments }),
    ...((audio ?? takesAudio(id)) ? { audio: true } : undefined),
    ...((video ?? takesVideo(id)) ? { video: true } : undefined),
  };
}

export function lacks(provider: Provider, what: NonNullable<Provider["lacks"]>[number]): boolean {
  return provider.lacks?.includes(what) === true;
}
