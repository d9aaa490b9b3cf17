// Results of tools that read, kept for later calls in the deployment's cache of answers: the option `cacheSeconds`.
//
//   KRT1. A result is kept under its tool, options, keys and arguments: a call that differs in one of them asks its service.
//   KRT2. Failures, and results with files or images of their run, are not kept. A result that is reused has cost nothing.
//   KRT3. A cache that fails, or holds something else, counts as one without the result.
import { canonicalJson, isJsonObject, type JsonValue } from "../../../base/json.ts";
import { toJson } from "../../../base/recorded.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { ToolResult, toolResult, type ToolResultFields } from "../../tool-result.ts";
import type { ToolIo } from "./tool-io.ts";

/** Gives a result that is kept, or makes one and keeps it. `of` is all that it depends on. */
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
