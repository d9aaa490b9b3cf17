// Messages of queues that start runs.
//
//   QS1. A message is one run: its id comes of the queue's name and the message's id, so that one that is delivered again
//        starts nothing anew.
//   QS2. A message that starts nothing is tried again, and goes the queue's own way from there: to its dead letter queue.
import { EngineError, errorMessage } from "../base/error.ts";
import { toJson, type JsonObject, type JsonValue } from "../base/json.ts";
import type { PartMessage } from "../parts/part.ts";
import type { InputPointers, RunTarget } from "./run-target.ts";
import { runIdOf } from "./hook-receiver.ts";
import { inputsOf } from "./payload.ts";
import type { TargetStarter } from "./target-starter.ts";

export type QueueTrigger = {
  readonly target: RunTarget;
  readonly inputs?: InputPointers | undefined;
  readonly schema?: JsonObject | undefined;
};

const MAX_RETRY_SECONDS = 60;
/** Starts under way at once: an invocation has six connections. */
const WIDTH = 6;

/** Starts a run for each message. Each is settled by itself. */
export async function startMessages(
  queue: { readonly name: string; readonly trigger: QueueTrigger; readonly tenant: string },
  messages: readonly PartMessage[],
  { starter, report }: { starter: TargetStarter; report: (error: unknown) => void },
): Promise<void> {
  const { name, trigger, tenant } = queue;
  const left = messages.values();
  const worker = async (): Promise<void> => {
    for (const message of left) {
      try {
        await starter.start({
          id: runIdOf("queue", name, message.id),
          tenant,
          target: trigger.target,
          inputs: inputsOf(bodyOf(message), trigger),
          trigger: { kind: "queue", queue: name, message: message.id },
        });
        message.ack();
      } catch (error) {
        const what = `message ${message.id} of queue ${name} started no run: ${errorMessage(error)}`;
        report(new Error(what, { cause: error }));
        message.retry({ delaySeconds: Math.min(MAX_RETRY_SECONDS, 2 ** message.attempts) });
      }
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, worker));
}

function bodyOf({ body }: PartMessage): JsonValue {
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body))
    throw new EngineError("invalid_input", "the message must be JSON or text, got bytes");
  return toJson(body);
}
