import type { JsonObject } from "../base/json.ts";
import { cachedAnswer, type CacheSettings } from "./cached-answer.ts";
import { hideTools, type HideTools } from "./hide-tools.ts";
import type { LanguageModel } from "./language-model.ts";
import { noteUnknownPrice } from "./unknown-accounts.ts";
import type { ModelCache } from "./model-cache.ts";
import type { NormalSettings } from "./model-settings.ts";

/** Settings that apply to every model, custom classes included. */
type CallSettings = {
  readonly cacheSeed?: number | undefined;
  readonly cacheTtlSeconds?: number | undefined;
  readonly cache?: ModelCache | undefined;
  readonly hideTools?: HideTools | undefined;
};

/** Settings left out of a cache's key: keys and addresses, and settings without an effect on the answer. */
const NOT_ASKED = [
  "apiKey",
  "apiVersion",
  "baseUrl",
  "cache",
  "cacheSeed",
  "cacheTtlSeconds",
  "contextWindowSize",
  "customOpenai",
  "headers",
  "hideTools",
  "interceptor",
  "model",
  "price",
  "provider",
  "stream",
  "tags",
  "timeoutMs",
  "toolCalling",
  "vision",
  "pdf",
  "audio",
  "video",
  "preferUpload",
] as const satisfies readonly (keyof NormalSettings)[];

/** Defaults of AG2's caches. */
const DEFAULT_SEED = 42;
const DEFAULT_TTL_SECONDS = 30 * 24 * 60 * 60;

/** The model with its cache and its tools hidden, as the settings say. */
export function settledModel(
  model: LanguageModel,
  settings: CallSettings,
  {
    cache,
    isUnpriced = false,
  }: {
    /** The cache where neither the settings nor a call name one. */
    readonly cache: ModelCache | undefined;
    /** True if its answers cost 0 because their price is unknown. */
    readonly isUnpriced?: boolean;
  },
): LanguageModel {
  const { hideTools: when = "never" } = settings;
  const caching = cacheSettings(settings, cache);
  if (when === "never" && caching === undefined && !isUnpriced) return model;
  return {
    id: model.id,
    capabilities: model.capabilities,
    contextWindow: model.contextWindow,
    missingKey: model.missingKey,
    files: model.files,
    settings: model.settings,
    price: model.price,
    entries: model.entries,
    generate: async (asked, options) => {
      const request = hideTools(asked, when);
      const answer = await (caching === undefined
        ? model.generate(request, options)
        : cachedAnswer(model, caching, { request, options }));
      if (isUnpriced) noteUnknownPrice(model.id);
      return answer;
    },
  };
}

function cacheSettings(
  settings: CallSettings,
  otherwise: ModelCache | undefined,
): CacheSettings | undefined {
  const { cache, cacheSeed, cacheTtlSeconds = DEFAULT_TTL_SECONDS } = settings;
  if (cache === undefined && cacheSeed === undefined) return undefined;
  const asked = Object.entries(settings).filter(
    ([name]) => !NOT_ASKED.some((each) => each === name),
  );
  return {
    seed: cacheSeed ?? DEFAULT_SEED,
    ttlSeconds: cacheTtlSeconds,
    settings: Object.fromEntries(asked) as JsonObject,
    own: cache,
    otherwise,
  };
}
