// Webhooks as triggers of runs.
//
//   HR1. Nothing in a delivery is trusted before its signature was verified. Bodies are bounded while they are read.
//   HR2. A delivery starts one run. The run's id is derived from the webhook's name and the delivery's id, so a
//        repeated delivery answers with the run of the first one.
//   HR3. A delivery that cannot start a run (unknown target, wrong inputs) is refused, with the reason in the answer.
//   HR4. Senders cannot name files: an input in the form of a file reference is refused.
import { EngineError } from "../base/error.ts";
import { invalidInput } from "../base/invalid-input.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import type { AnswerTo } from "../parts/operation-answer.ts";
import { boundedBody } from "../security/bounded-body.ts";
import type { Run } from "../runtime/run.ts";
import type { WebhookDefinition } from "./webhook-store.ts";
import { readDelivery, type Delivery } from "./delivery.ts";
import { inputsOf } from "./payload.ts";
import { checkTime, signedHeaders, verifySignature } from "./signatures.ts";
import { triggerFields } from "./trigger-fields.ts";
import type { TargetStarter } from "./target-starter.ts";
import { triggeredRun, triggeredRunShape } from "./triggered-run.ts";
import type { DocumentedAnswers } from "../parts/documented-answer.ts";

/** A webhook with its decrypted secrets. */
export type OpenWebhook = {
  readonly tenant: string;
  readonly name: string;
  readonly definition: WebhookDefinition;
  /** The current one, and the previous one while it is still valid. */
  readonly secrets: readonly string[];
  /** Set for the name of an unknown webhook. */
  readonly isUnknown?: true;
};

/** Progress of a delivery, with its known facts. */
export type Receipt = {
  /** Stage at which the delivery ended. The earlier stages succeeded. */
  stage: "signature" | "body" | "inputs" | "run" | "done";
  body?: Uint8Array;
  /** Reason for refusing the signature. Absent for a valid signature. */
  unsigned?: "signature" | "time";
  /** The delivery's id. */
  id?: string;
  event?: string;
  isHandshake?: boolean;
  inputs?: JsonObject;
  run?: Run;
};

export type ReceiverPorts = {
  readonly starter: TargetStarter;
  readonly nowMs: number;
  readonly maxBodyBytes: number;
};

/** Documented answers to a delivery. */
export const DELIVERED = {
  202: { description: "Started, or found by the delivery's id", shape: triggeredRunShape },
  200: {
    description: "A handshake, or a delivery of Slack",
    types: ["application/json"],
    mayBeEmpty: true,
  },
} as const satisfies DocumentedAnswers;

export type DeliveryAnswer = AnswerTo<typeof DELIVERED>;

/**
 * Answers a delivery, and notes its progress in `receipt`. Fails with `unauthorized`, `payload_too_large` or
 * `invalid_input`.
 */
export async function receive(
  request: Request,
  webhook: OpenWebhook,
  { starter, nowMs, maxBodyBytes, receipt }: ReceiverPorts & { readonly receipt: Receipt },
): Promise<DeliveryAnswer> {
  const { definition, secrets } = webhook;
  const { scheme } = definition;
  const { headers } = request;
  const body = (await boundedBody(request, maxBodyBytes)) ?? new Uint8Array();
  receipt.body = body;
  receipt.unsigned = "signature";
  const signed = signedHeaders(definition, headers);
  await verifySignature(signed, { scheme, body, secrets });
  receipt.unsigned = "time";
  checkTime(signed, nowMs);
  delete receipt.unsigned;
  receipt.stage = "body";
  const delivery = await readDelivery(scheme, { headers, body, signed });
  const { id, event, handshake, payload } = delivery;
  receipt.id = id;
  if (event !== undefined) receipt.event = event;
  receipt.isHandshake = handshake !== undefined;
  if (handshake !== undefined) {
    receipt.stage = "done";
    return { status: 200, json: handshake };
  }
  receipt.stage = "inputs";
  const inputs = withoutFiles(inputsOf(payload, definition));
  receipt.inputs = inputs;
  receipt.stage = "run";
  const run = await started(webhook, { id, event, inputs }, starter);
  receipt.run = run;
  receipt.stage = "done";
  // Slack accepts only 200, and shows the body to the person who typed a command.
  return scheme === "slack" ? { status: 200 } : { status: 202, json: triggeredRun(run) };
}

async function started(
  { tenant, name, definition }: OpenWebhook,
  {
    id,
    event,
    inputs,
  }: Pick<Delivery, "id"> & {
    readonly event: string | undefined;
    readonly inputs: JsonObject;
  },
  starter: TargetStarter,
): Promise<Run> {
  try {
    return await starter.start({
      id: deliveredRunId("hook", name, id),
      tenant,
      target: definition.target,
      inputs,
      fields: triggerFields(definition),
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
      `webhook "${name}" has no target to start: ${error.message}`,
    );
  }
}

/** Fails with `invalid_input` for inputs with a reference to a file of the tenant. */
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

/** Returns the id of the run for a delivery or message. It is the same for every repetition. */
export function deliveredRunId(kind: "hook" | "queue", name: string, id: string): string {
  return `${kind}-${sha256Hex(JSON.stringify([name, id])).slice(0, 40)}`;
}
