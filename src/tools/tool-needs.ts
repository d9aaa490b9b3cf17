import type { RunServices } from "../events/run-services.ts";
import { requireEnvVars } from "./env-vars.ts";
import type { Tool } from "./tool.ts";

/** Refuses tools that lack something in runs with these services: variables, all of them in one error, and what else they need. */
export function requireNeeds(tools: readonly Tool[], services: RunServices): void {
  requireEnvVars(tools, services.variables);
  for (const tool of new Set(tools)) tool.check?.(services);
}
