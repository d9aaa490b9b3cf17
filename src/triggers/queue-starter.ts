// Queue messages as triggers of runs.
//
//   QS1. A message starts one run. The run's id is derived from the queue's name and the message's id, so a redelivered
//        message starts no second run.
//   QS2. A message that cannot start a run is retried, until the queue moves it to its dead letter queue.
import { noted } from "../base/log.ts";
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError, errorMessage } from "../base/error.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import { toJson } from "../base/recorded.ts";
import type { PartMessage } from "../parts/part.ts";
import { triggerFields, type TriggerFields } from "./trigger-fields.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";
import { deliveredRunId } from "./webhook-receiver.ts";
import { inputsOf } from "./payload.ts";
import type { TargetStarter } from "./target-starter.ts";

/** Target and inputs for each message of a queue. */
export type QueueTrigger = TriggerFields & {
  readonly target: RunTarget;
  readonly inputs?: InputPointers | undefined;
  readonly schema?: JsonObject | undefined;
};

const MAX_RETRY_SECONDS = 60;
/** Number of concurrent starts; an invocation has six connections. */
const STARTS_AT_ONCE = 6;

/** Starts a run for each message, and acknowledges or retries each on its own. */
export async function startMessages(
  queue: { readonly name: string; readonly trigger: QueueTrigger; readonly tenant: string },
  messages: readonly PartMessage[],
  { starter, report }: { starter: TargetStarter; report: (error: unknown) => void },
): Promise<void> {
  const { name, trigger, tenant } = queue;
  await mapAtMost(messages, STARTS_AT_ONCE, async (message) => {
    try {
      await starter.start({
        id: deliveredRunId("queue", name, message.id),
        tenant,
        target: trigger.target,
        inputs: inputsOf(bodyOf(message), trigger),
        fields: triggerFields(trigger),
        trigger: { kind: "queue", queue: name, message: message.id },
      });
      message.ack();
    } catch (error) {
      const what = `message ${message.id} of queue ${name} started no run: ${errorMessage(error)}`;
      const fields = { queue: name, tenant, attempt: message.attempts };
      report(noted(new Error(what, { cause: error }), "queue_message_failed", fields));
      message.retry({ delaySeconds: Math.min(MAX_RETRY_SECONDS, 2 ** message.attempts) });
    }
  });
}

function bodyOf({ body }: PartMessage): JsonValue {
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body))
    throw new EngineError("invalid_input", "the message must be JSON or text, got bytes");
  return toJson(body);
}
