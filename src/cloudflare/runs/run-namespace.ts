import { EngineError } from "../../base/error.ts";
import type { RunNamespace } from "./durable-run-directory.ts";

declare module "../../parts/part.ts" {
  interface PartEnv {
    /** Durable Objects of the class `CrewRun`. */
    readonly CREW_RUN?: unknown;
  }
}

/** Returns the Durable Objects of the runs. Fails with `invalid_definition` if they are not bound. */
export function runNamespace(env: { readonly CREW_RUN?: unknown }): RunNamespace {
  const namespace = env.CREW_RUN;
  if (typeof namespace === "object" && namespace !== null && "getByName" in namespace)
    return namespace as RunNamespace;
  throw new EngineError(
    "invalid_definition",
    "wrangler.toml must bind the Durable Object class CrewRun as CREW_RUN",
  );
}
