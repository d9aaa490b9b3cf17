import { definitionOptions, refuseUnknownOptions } from "../../base/unknown-options.ts";
import { userCode } from "../../base/user-code.ts";
import { EngineError } from "../../base/error.ts";
import { preview } from "../../base/json.ts";
import type { EmbedOptions, Embedder, SimilarityScale } from "../embedder.ts";
import { readVectors } from "./read-vectors.ts";

/** Turns texts into vectors, in their order. */
export type EmbedFunction = (
  texts: readonly string[],
  options: EmbedOptions,
) => MaybePromise<ReadonlyArray<readonly number[] | Float32Array>>;

type MaybePromise<T> = T | Promise<T>;

type OwnEmbedder = {
  readonly model: string;
  readonly embed: EmbedFunction;
  /** Length of the vectors, if known in advance. */
  readonly dimension?: number;
  /** Maximum number of texts in one call. @default 100 */
  readonly maxBatch?: number;
  /** Meaning of its similarities, used by recalls to leave out unrelated texts. @default nothing is left out */
  readonly similarity?: SimilarityScale;
};

const OPTIONS = definitionOptions<OwnEmbedder>("embedder()", {
  model: true,
  embed: true,
  dimension: true,
  maxBatch: true,
  similarity: true,
});

/**
 * Creates an embedder from your own function. Collections record its `model`: change the name with every change of the
 * vectors. Throw temporary errors as `EngineError` with `retryable`; any other error is final.
 */
export function embedder(definition: OwnEmbedder): Embedder {
  refuseUnknownOptions(definition, OPTIONS);
  const { model, embed, dimension, maxBatch = 100, similarity } = definition;
  if (typeof model !== "string" || model === "")
    throw invalid("model must be a name for the vectors", model);
  if (typeof embed !== "function") throw invalid("embed must be a function", embed);
  if (!Number.isInteger(maxBatch) || maxBatch < 1)
    throw invalid("maxBatch must be an integer >= 1", maxBatch);
  for (const [name, value] of Object.entries(similarity ?? {}))
    if (!(typeof value === "number" && value >= 0 && value <= 1))
      throw invalid(`similarity.${name} must be a number from 0 to 1`, value);
  return {
    id: model,
    model,
    maxBatch,
    ...(dimension === undefined ? undefined : { dimension }),
    ...(similarity === undefined ? undefined : { similarity }),
    embed: async (texts, options) => {
      const vectors = await userCode(`embedder "${model}"`, async () => embed(texts, options));
      return readVectors(model, Array.isArray(vectors) ? vectors : [], texts.length);
    },
  };
}

function invalid(what: string, got: unknown): EngineError {
  return new EngineError("invalid_definition", `embedder: ${what}, got ${preview(got)}`);
}
