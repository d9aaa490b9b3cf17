import { log } from "../base/log.ts";
import { isFree, priceOf, type Price, type PriceTable } from "./model-data.ts";

/** Models already reported in the log. */
const noted = { price: new Set<string>(), usage: new Set<string>() };

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

/** Logs once in this process that the price of a model is unknown. */
export function noteUnknownPrice(modelId: string): void {
  if (!isFree(modelId)) note("price", modelId);
}

/** Logs once in this process that a model's answer has no token counts. */
export function noteUnknownUsage(modelId: string): void {
  note("usage", modelId);
}

function note(what: keyof typeof noted, modelId: string): void {
  if (noted[what].has(modelId)) return;
  noted[what].add(modelId);
  log(`${what}_unknown`, { model: modelId });
}
