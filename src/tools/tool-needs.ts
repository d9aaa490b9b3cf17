import type { RunServices } from "../events/run-services.ts";
import { requireEnvVars } from "./env-vars.ts";
import type { Tool } from "./tool.ts";

/**
 * Rejects tools with unmet requirements in runs with these services: missing variables, all in one error, and other
 * needs. A replacement of a provider's tool is checked only once the model is known to lack the tool.
 */
export function requireNeeds(all: readonly Tool[], services: RunServices): void {
  const tools = all.filter(({ builtin }) => builtin === undefined);
  requireEnvVars(tools, services.variables);
  for (const tool of new Set(tools)) tool.check?.(services);
}
