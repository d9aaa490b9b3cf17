import { log } from "../base/log.ts";
import { isFree, priceOf, type Price, type PriceTable } from "./model-data.ts";

/** Models already reported in the log. */
const reported = new Set<string>();

/** Returns the price of a model: from its settings, per thousand tokens, else the known price. */
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

/** Logs an answering model of unknown price, once in this process. */
export function noteUnknownPrice(modelId: string): void {
  if (isFree(modelId) || reported.has(modelId)) return;
  reported.add(modelId);
  log("price_unknown", { model: modelId });
}
