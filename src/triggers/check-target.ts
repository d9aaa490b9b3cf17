import { EngineError, type Issue } from "../base/error.ts";
import type { JsonObject } from "../base/json.ts";
import type { TriggerFields } from "./trigger-fields.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";
import { missingPointers } from "./payload.ts";
import type { TargetStarter } from "./target-starter.ts";

type Checked<Inputs> = {
  readonly tenant: string;
  readonly target: RunTarget;
  readonly inputs: Inputs;
  readonly fields: TriggerFields;
};

/** Problems of a target, of the fixed inputs that its runs start with, and of the other fields of these starts. */
export async function targetIssues(
  starter: TargetStarter,
  { tenant, target, inputs, fields }: Checked<JsonObject>,
): Promise<readonly Issue[]> {
  const ofTarget = issuesOf(async () => {
    await starter.check(tenant, { target, fields }, inputs);
    return [];
  });
  return [...(await ofTarget), ...(await fieldIssues(starter, tenant, fields))];
}

/** Problems of a target whose inputs are read from each delivery, and of the other fields of its starts. */
export async function deliveryIssues(
  starter: TargetStarter,
  { tenant, target, inputs, fields }: Checked<InputPointers | undefined>,
): Promise<readonly Issue[]> {
  const ofTarget = issuesOf(async () =>
    missingPointers(await starter.needs(tenant, { target, fields }), inputs),
  );
  return [...(await ofTarget), ...(await fieldIssues(starter, tenant, fields))];
}

async function fieldIssues(
  starter: TargetStarter,
  tenant: string,
  fields: TriggerFields,
): Promise<readonly Issue[]> {
  try {
    await starter.checkFields(tenant, fields);
    return [];
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "invalid_input") throw error;
    return error.issues ?? [{ path: "/webhooks", message: error.message }];
  }
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
      path: /^\/(?:inputs|target|version)/.test(path) ? path : `/inputs${path}`,
      message,
    }));
  }
}
