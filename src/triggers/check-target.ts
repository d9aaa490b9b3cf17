import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";
import { missingPointers } from "./payload.ts";
import type { TargetStarter } from "./target-starter.ts";

/** Returns the problems of a target with the fixed inputs of its runs. */
export function targetIssues(
  starter: TargetStarter,
  { tenant, target, inputs }: { tenant: string; target: RunTarget; inputs: JsonObject },
): Promise<readonly Issue[]> {
  return issuesOf(async () => {
    await starter.check(tenant, target, inputs);
    return [];
  });
}

/** Returns the problems of a target with inputs read from each delivery. */
export function deliveryIssues(
  starter: TargetStarter,
  {
    tenant,
    target,
    inputs,
  }: { tenant: string; target: RunTarget; inputs: InputPointers | undefined },
): Promise<readonly Issue[]> {
  return issuesOf(async () => missingPointers(await starter.needs(tenant, target), inputs));
}

async function issuesOf(check: () => Promise<readonly Issue[]>): Promise<readonly Issue[]> {
  try {
    return await check();
  } catch (error) {
    if (!EngineError.is(error) || error.retryable) throw error;
    if (error.code === "not_found")
      return [
        {
          path: "/target/name",
          message: `expected the name of a registered or stored definition: ${error.message}`,
        },
      ];
    if (error.code !== "invalid_input") return [{ path: "/target", message: error.message }];
    return (error.issues ?? [{ path: "", message: error.message }]).map(({ path, message }) => ({
      path: path.startsWith("/inputs") ? path : `/inputs${path}`,
      message,
    }));
  }
}
