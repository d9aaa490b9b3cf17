// Cached results of reading tools, in the deployment's cache of answers: the option `cacheSeconds`.
//
//   KRT1. The cache key consists of tool, options, keys and arguments. A call with any difference asks its service.
//   KRT2. Failures, and results with files or images of their run, are not cached. A reused result has no cost.
//   KRT3. A failing cache, or one with invalid content, counts as one without the result.
import { canonicalJson, isJsonObject, type JsonValue } from "../../../base/json.ts";
import { toJson } from "../../../base/recorded.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { ToolResult, toolResult, type ToolResultFields } from "../../tool-result.ts";
import type { ToolIo } from "./tool-io.ts";

/** Returns a cached result, or makes one and caches it. `of` has everything the result depends on. */
export async function keptResult(
  io: ToolIo,
  { of, seconds }: { readonly of: object; readonly seconds: number },
  make: () => Promise<unknown>,
): Promise<unknown> {
  const cache = io.services.modelCache;
  if (seconds === 0 || cache === undefined) return make();
  const key = `tool:${sha256Hex(canonicalJson(toJson(of)))}`;
  const kept = await cache.get(key).catch(() => undefined);
  if (isJsonObject(kept) && typeof kept["text"] === "string")
    return toolResult(kept as unknown as ToolResultFields);
  const result = await make();
  if (result instanceof ToolResult && isKeepable(result)) {
    const { cost: _cost, usd: _usd, bytes: _bytes, ...fields } = result.fields;
    await cache.set(key, fields as unknown as JsonValue, seconds).catch(() => undefined);
  }
  return result;
}

function isKeepable({ fields: { files = [], images = [], usage } }: ToolResult): boolean {
  return files.length === 0 && images.length === 0 && usage === undefined;
}
