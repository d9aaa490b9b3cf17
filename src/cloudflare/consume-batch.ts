// Batches of the Worker's queues: those of parts, child runs, and child runs that could not be started.
import { consumerOf, noticing } from "../parts/bind-parts.ts";
import type { BoundPart } from "../parts/part.ts";
import { failQueued, startQueued } from "./child-queue.ts";
import type { RunApp, RunEnv } from "./host-run.ts";
import { runNamespace } from "./runs/run-namespace.ts";

/** Hands a batch to the part with its queue, else starts its child runs. Runs of a dead letter queue fail. */
export async function consumeBatch(
  { queue, messages }: MessageBatch,
  {
    env,
    app: { parts, placed },
    boundPart,
  }: {
    readonly env: RunEnv;
    readonly app: RunApp;
    readonly boundPart: (name: string) => BoundPart | undefined;
  },
): Promise<void> {
  const consumer = consumerOf(parts, queue);
  if (consumer !== undefined) return boundPart(consumer.name)?.queue?.(queue, messages);
  const namespace = runNamespace(placed(env));
  if (!queue.endsWith("-dlq")) return startQueued(messages, namespace);
  const failed = await failQueued(messages, namespace);
  const notice = noticing(parts, env);
  await Promise.all(failed.map((fields) => notice({ code: "dead_letter", fields })));
}
