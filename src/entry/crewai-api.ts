/** CrewAI's hosted API, for existing front ends. */
import type { Part } from "../parts/part.ts";
import { crewaiPart } from "../protocols/crewai/server.ts";

/**
 * The routes of CrewAI's hosted API under `/compat/:crew`, and webhooks in its form: `defineApp({ parts: [crewaiApi()]
 * })`.
 */
export function crewaiApi(): Part {
  return crewaiPart();
}
