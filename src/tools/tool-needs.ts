import type { RunServices } from "../events/run-services.ts";
import { requireEnvVars } from "./env-vars.ts";
import type { Tool } from "./tool.ts";

/**
 * Refuses tools that lack something in runs with these services: variables, all of them in one error, and what else they need. What
 * stands in for a provider's tool needs nothing until it is clear that the model has no such tool.
 */
export function requireNeeds(all: readonly Tool[], services: RunServices): void {
  const tools = all.filter(({ builtin }) => builtin === undefined);
  requireEnvVars(tools, services.variables);
  for (const tool of new Set(tools)) tool.check?.(services);
}
