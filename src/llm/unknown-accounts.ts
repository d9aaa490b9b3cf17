import { log } from "../base/log.ts";
import { isFree } from "./model-data.ts";

/** Models already logged in this process. */
const noted = { price: new Set<string>(), usage: new Set<string>() };

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
