import { priceOf, type Price, type PriceTable } from "./model-data.ts";

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
