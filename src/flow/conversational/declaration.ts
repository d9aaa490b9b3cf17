// Block `conversational` of a flow as data.
import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, withoutNulls, type JsonObject } from "../../base/json.ts";
import type { Conversational } from "./conversational-decorator.ts";
import { conversational } from "./conversational.ts";

/**
 * Fields of CrewAI's block without use here: each turn is a run with its own trace, and the built-in routes are those
 * with their own method.
 */
const UNUSED: ReadonlySet<string> = new Set([
  "builtinRoutes",
  "deferTraceFinalization",
  "internalRoutes",
  "traceScope",
]);

/**
 * Reads the block of a definition: `true`, or a configuration in camelCase or snake_case. Undefined for `false` and for
 * an absent block. Throws `invalid_definition` and names the field.
 */
export function conversationalFromDefinition(block: unknown): Conversational | undefined {
  if (block === undefined || block === null || block === false) return undefined;
  if (block === true) return conversational();
  if (!isJsonObject(block)) return conversational(block); // refuses the value
  const { enabled = true, ...config } = fields(block);
  if (typeof enabled !== "boolean")
    throw new EngineError(
      "invalid_definition",
      `conversational.enabled must be true or false, got ${preview(enabled)}`,
    );
  if (!enabled) return undefined;
  const { router } = config;
  const read = isJsonObject(router) ? { ...config, router: fields(router) } : config;
  return conversational(read);
}

/** Converts field names to camelCase. Values stay unchanged: routes and shapes are the user's own names. */
function fields(block: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(withoutNulls(block))
      .map(([name, value]): [string, unknown] => [camelCase(name), value])
      .filter(([name]) => !UNUSED.has(name)),
  );
}
