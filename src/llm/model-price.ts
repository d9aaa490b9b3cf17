import { log } from "../base/log.ts";
import { isFree, priceOf, type Price, type PriceTable } from "./model-data.ts";

const noted = { price: new Set<string>(), usage: new Set<string>() };

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

/** Logs once in this process that the price of a model is not known. */
export function noteUnknownPrice(modelId: string): void {
  if (!isFree(modelId)) note("price", modelId);
}

/** Logs once in this process that a model has answered without its tokens. */
export function noteUnknownUsage(modelId: string): void {
  note("usage", modelId);
}

function note(what: keyof typeof noted, modelId: string): void {
  if (noted[what].has(modelId)) return;
  noted[what].add(modelId);
  log(`${what}_unknown`, { model: modelId });
}
