// The block `conversational` of a flow that is written as data.
import { camelCase } from "../../base/camel-case.ts";
import { EngineError } from "../../base/error.ts";
import { isJsonObject, preview, withoutNulls, type JsonObject } from "../../base/json.ts";
import { conversational, type Conversational } from "./conversational.ts";

/**
 * What CrewAI's block may hold of what there is no need for here: each turn is a run with a trace of its own, and the built-in
 * routes are those that have a method of their own.
 */
const UNUSED: ReadonlySet<string> = new Set([
  "builtinRoutes",
  "deferTraceFinalization",
  "internalRoutes",
  "traceScope",
]);

/**
 * How a flow converses whose definition has this block: `true`, or a configuration in camelCase or snake_case. Undefined for `false`
 * and for none. Throws `invalid_definition` that names the field.
 */
export function conversationalFromDefinition(block: unknown): Conversational | undefined {
  if (block === undefined || block === null || block === false) return undefined;
  if (block === true) return conversational();
  if (!isJsonObject(block)) return conversational(block); // which refuses it
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

/** With names in camelCase. What the fields hold stays as it is: routes and shapes are the user's own names. */
function fields(block: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(withoutNulls(block))
      .map(([name, value]): [string, unknown] => [camelCase(name), value])
      .filter(([name]) => !UNUSED.has(name)),
  );
}
