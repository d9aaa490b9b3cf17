// Webhooks that start runs.
//
//   HR1. Nothing of a delivery is read or believed before its signature fits; bodies are bounded while they are read.
//   HR2. A delivery is one run: its id comes of the hook's name and the sender's id for it, so that a delivery that comes
//        again answers the run that the first one started.
//   HR3. A delivery that can start nothing (unknown target, inputs that do not fit) starts nothing: the sender is told.
import { EngineError } from "../base/error.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { OperationAnswer } from "../parts/operation.ts";
import { boundedBody } from "../security/bounded-body.ts";
import type { WebhookDefinition } from "./hook-store.ts";
import { readDelivery, type Delivery } from "./delivery.ts";
import { inputsOf } from "./payload.ts";
import { signedHeaders, verifySignature } from "./signatures.ts";
import type { TargetStarter } from "./target-starter.ts";
import { triggeredRun } from "./triggered-run.ts";

/** A hook, with its secrets in the clear. */
export type OpenHook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  /** The present one, and the one before while it is still good. */
  readonly secrets: readonly string[];
};

/** Answers a delivery. Throws `unauthorized`, `payload_too_large` or `invalid_input`. */
export async function receive(
  request: Request,
  hook: OpenHook,
  { starter, nowMs, maxBodyBytes }: { starter: TargetStarter; nowMs: number; maxBodyBytes: number },
): Promise<OperationAnswer> {
  const { definition, secrets } = hook;
  const { scheme } = definition;
  const { headers } = request;
  const signed = signedHeaders(definition, headers);
  const body = (await boundedBody(request, maxBodyBytes)) ?? new Uint8Array();
  await verifySignature(signed, { scheme, body, secrets, nowMs });
  const delivery = await readDelivery(scheme, { headers, body, signed });
  if (delivery.handshake !== undefined) return { status: 200, json: delivery.handshake };
  const run = await started(hook, delivery, starter);
  // Slack shows what it is answered to the person who typed a command, and takes 200 alone for an answer.
  return scheme === "slack" ? { status: 200 } : { status: 202, json: triggeredRun(run) };
}

async function started(
  { tenant, name, definition }: OpenHook,
  { payload, id, event }: Delivery,
  starter: TargetStarter,
) {
  try {
    return await starter.start({
      id: runIdOf("hook", name, id),
      tenant,
      target: definition.target,
      inputs: inputsOf(payload, definition),
      trigger: {
        kind: "hook",
        name,
        delivery: id,
        ...(event === undefined ? undefined : { event }),
      },
    });
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    throw new EngineError("unavailable", `hook "${name}" has nothing to start: ${error.message}`);
  }
}

/** The id of the run that a delivery or message starts: the same for the same one, and fit for a path. */
export function runIdOf(kind: "hook" | "queue", name: string, id: string): string {
  return `${kind}-${sha256Hex(JSON.stringify([name, id])).slice(0, 40)}`;
}
