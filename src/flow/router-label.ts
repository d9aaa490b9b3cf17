import { EngineError } from "../base/error.ts";
import { isJsonObject, preview, type JsonValue } from "../base/json.ts";
import type { FlowGraph } from "./flow-graph.ts";

/**
 * Returns the label in a router's result; undefined for null. `true` and `false` also match `True` and `False`; for the
 * output of a crew or an agent the label is its text. Throws `invalid_input` for a value without a label.
 */
export function labelOf(
  method: string,
  returned: JsonValue,
  { subscribersOf, compat }: Pick<FlowGraph, "subscribersOf" | "compat">,
): string | undefined {
  if (returned === null) return undefined;
  const raw = isJsonObject(returned) ? returned["raw"] : undefined;
  const result = typeof raw === "string" ? raw.trim() : returned;
  if (typeof result === "object")
    throw new EngineError(
      "invalid_input",
      `router ${method} must return a label: a text, a number, a boolean or null; got ${preview(result)}`,
    );
  const label = String(result);
  if (typeof result !== "boolean") return label;
  const capital = label.charAt(0).toUpperCase() + label.slice(1);
  return compat || (!subscribersOf.has(label) && subscribersOf.has(capital)) ? capital : label;
}
