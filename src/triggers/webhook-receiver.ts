// Webhooks that start runs.
//
//   HR1. Nothing in a delivery is trusted before its signature was verified. Bodies are bounded while they are read.
//   HR2. A delivery starts one run. The run's id is derived from the webhook's name and the delivery's id, so a repeated
//        delivery answers with the run that the first one started.
//   HR3. A delivery that cannot start a run (unknown target, wrong inputs) is refused, and the answer says why.
//   HR4. A sender names no files: an input of a body that would be one is refused.
import { EngineError } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { OperationAnswer } from "../parts/operation.ts";
import { boundedBody } from "../security/bounded-body.ts";
import type { WebhookDefinition } from "./webhook-store.ts";
import { readDelivery, type Delivery } from "./delivery.ts";
import { inputsOf } from "./payload.ts";
import { signedHeaders, verifySignature } from "./signatures.ts";
import type { TargetStarter } from "./target-starter.ts";
import { triggeredRun } from "./triggered-run.ts";

/** A webhook with its decrypted secrets. */
export type OpenWebhook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  /** The current one, and the previous one while it is still valid. */
  readonly secrets: readonly string[];
};

/** Answers a delivery. Throws `unauthorized`, `payload_too_large` or `invalid_input`. */
export async function receive(
  request: Request,
  webhook: OpenWebhook,
  { starter, nowMs, maxBodyBytes }: { starter: TargetStarter; nowMs: number; maxBodyBytes: number },
): Promise<OperationAnswer> {
  const { definition, secrets } = webhook;
  const { scheme } = definition;
  const { headers } = request;
  const body = (await boundedBody(request, maxBodyBytes)) ?? new Uint8Array();
  const signed = signedHeaders(definition, headers);
  await verifySignature(signed, { scheme, body, secrets, nowMs });
  const delivery = await readDelivery(scheme, { headers, body, signed });
  if (delivery.handshake !== undefined) return { status: 200, json: delivery.handshake };
  const run = await started(webhook, delivery, starter);
  // Slack accepts only 200, and shows the body to the person who typed a command.
  return scheme === "slack" ? { status: 200 } : { status: 202, json: triggeredRun(run) };
}

async function started(
  { tenant, name, definition }: OpenWebhook,
  { payload, id, event }: Delivery,
  starter: TargetStarter,
) {
  try {
    return await starter.start({
      id: deliveredRunId("hook", name, id),
      tenant,
      target: definition.target,
      inputs: withoutFiles(inputsOf(payload, definition)),
      trigger: {
        kind: "hook",
        name,
        delivery: id,
        ...(event === undefined ? undefined : { event }),
      },
    });
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new EngineError(
      "unavailable",
      `webhook "${name}" has nothing to start: ${error.message}`,
    );
  }
}

/** Throws `invalid_input` for inputs that name a file of the tenant's. */
function withoutFiles(inputs: JsonObject): JsonObject {
  const named = Object.entries(inputs).find(
    ([, value]) => isJsonObject(value) && Object.hasOwn(value, "$file"),
  );
  if (named === undefined) return inputs;
  throw invalidInput("the body cannot be used", [
    {
      path: `/inputs/${pointerPart(named[0])}`,
      message: 'expected a value, because a sender names no files, got an object with "$file"',
    },
  ]);
}

/** The id of the run that a delivery or message starts. It is always the same for the same delivery or message. */
export function deliveredRunId(kind: "hook" | "queue", name: string, id: string): string {
  return `${kind}-${sha256Hex(JSON.stringify([name, id])).slice(0, 40)}`;
}
