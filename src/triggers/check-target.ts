import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { RunTarget } from "../runtime/run-target.ts";
import type { TargetStarter } from "./target-starter.ts";

/** What is wrong with a target, and with the inputs that it will be started with where they are known. */
export async function targetIssues(
  starter: TargetStarter,
  { tenant, target, inputs }: { tenant: string; target: RunTarget; inputs?: JsonObject },
): Promise<readonly Issue[]> {
  try {
    await starter.check(tenant, target, inputs ?? {});
    return [];
  } catch (error) {
    if (!EngineError.is(error) || error.retryable) throw error;
    if (error.code === "not_found")
      return [{ path: "/target/name", message: `expected something registered: ${error.message}` }];
    if (error.code !== "invalid_input") return [{ path: "/target", message: error.message }];
    if (inputs === undefined) return []; // they come with each delivery
    return (error.issues ?? [{ path: "", message: error.message }]).map(({ path, message }) => ({
      path: path.startsWith("/inputs") ? path : `/inputs${path}`,
      message,
    }));
  }
}
