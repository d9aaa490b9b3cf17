import type { CallOptions, LanguageModel, ModelRequest, ModelResponse } from "./language-model.ts";

/** Asks a model, with its files prepared for it. A list of models prepares them for each of its entries itself. */
export async function askPrepared(
  model: LanguageModel,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const { prepare } = options;
  if (prepare === undefined || model.entries !== undefined) return model.generate(request, options);
  return model.generate(await prepare(request, model), options);
}
