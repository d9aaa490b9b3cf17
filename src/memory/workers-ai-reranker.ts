import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { EngineError } from "../base/error.ts";
import { orAborted } from "../llm/time-limit.ts";
import { fieldsOf, listOf } from "../llm/wire.ts";
import type { AiBinding } from "../llm/workers-ai/ai-binding.ts";
import type { MemoryReranker } from "./memory-options.ts";

/** Options of a reranker on Workers AI. */
export type WorkersAiRerankerOptions = {
  /** The Worker's `AI` binding. */
  readonly binding: AiBinding;
  /** @default "@cf/baai/bge-reranker-base" */
  readonly model?: string;
  /** Minimum score of matches, 0 to 1. @default 0: nothing */
  readonly minScore?: number;
};

const OPTIONS = definitionOptions<WorkersAiRerankerOptions>("workersAiReranker()", {
  binding: true,
  model: true,
  minScore: true,
});

/** Creates a reranker with a Workers AI model that reads question and memory together. */
export function workersAiReranker(options: WorkersAiRerankerOptions): MemoryReranker {
  refuseUnknownOptions(options, OPTIONS);
  const { binding, model = "@cf/baai/bge-reranker-base", minScore = 0 } = options;
  return async (query, matches, { signal }) => {
    const contexts = matches.map(({ record }) => ({ text: record.content }));
    const asked = binding.run(model, { query, contexts, top_k: contexts.length });
    const scored = listOf(fieldsOf(await orAborted(signal, asked))["response"]);
    if (scored.length === 0 && matches.length > 0)
      throw new EngineError(
        "model_failed",
        `${model} returned no score for ${matches.length} texts`,
      );
    return scored
      .map((each) => fieldsOf(each))
      .filter(({ score }) => Number(score) >= minScore)
      .toSorted((one, other) => Number(other["score"]) - Number(one["score"]))
      .flatMap(({ id }) => matches[Number(id)] ?? []);
  };
}
