import { log } from "../base/log.ts";
import { isFree, priceOf, type Price, type PriceTable } from "./model-data.ts";

/** The models that the log knows of. */
const reported = new Set<string>();

/** What a model costs: what its settings say, per thousand tokens, else what is known of it. */
export function priceFor(
  modelId: string,
  own: number | readonly [number, number] | undefined,
  prices: PriceTable | undefined,
): Price | undefined {
  if (own !== undefined) {
    const [input, output] = typeof own === "number" ? [own, own] : own;
    return { input: input * 1000, cachedInput: input * 1000, output: output * 1000 };
  }
  return priceOf(modelId, prices);
}

/** Says once in the log of this process that a model has answered whose price is not known. */
export function noteUnknownPrice(modelId: string): void {
  if (isFree(modelId) || reported.has(modelId)) return;
  reported.add(modelId);
  log("price_unknown", { model: modelId });
}
