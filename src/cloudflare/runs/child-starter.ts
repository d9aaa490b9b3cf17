// Deliveries between parents and children: starts, reports, cancellations. The rules are in docs/design/fan-out.md.
import { mapAtMost } from "../../base/concurrency.ts";
import { EngineError, toErrorRecord } from "../../base/error.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { ChildPointers } from "../../runtime/children/child-run.ts";
import type { Dispatched, OutboxSink } from "../../runtime/deliveries/outbox.ts";
import type { RunStart } from "../../runtime/run.ts";
import { callRun, type RunObjects } from "./run-object-api.ts";

/** Maximum number of concurrent calls to objects. */
const WIDTH = 8;
/** Maximum number of messages in one call of a queue. */
const MESSAGES_PER_CALL = 100;

/** Pointer to a child to start. Its parent has the start. */
export type TaskMessage = {
  readonly tenant: string;
  readonly parent: string;
  readonly child: string;
};

/** Used part of a queue. A `Queue<TaskMessage>` fits it. */
export interface TaskQueue {
  sendBatch(messages: Iterable<{ readonly body: TaskMessage }>): Promise<unknown>;
}

/** Delivers to the children and the parent of a run. With a queue, starts go through it. */
export function childDeliveries(
  objects: RunObjects,
  queue: TaskQueue | undefined,
): Required<Pick<OutboxSink, "dispatch" | "report" | "cancel">> {
  return {
    dispatch:
      queue === undefined
        ? async (pointers) => ({ left: await startChildren(objects, pointers) })
        : (pointers) => send(queue, pointers),
    report: ({ tenant, id }, report) => callRun(objects, { tenant, id }, ["childEnded", report]),
    cancel: async ({ tenant, children }, reason) =>
      leftOf(children, async (id) => {
        try {
          await callRun(objects, { tenant, id }, ["cancel", reason]);
        } catch (error) {
          if (!EngineError.is(error) || error.code !== "conflict") throw error; // the run has ended
        }
      }),
  };
}

async function send(
  queue: TaskQueue,
  { tenant, parent, children }: ChildPointers,
): Promise<Dispatched> {
  for (let start = 0; start < children.length; start += MESSAGES_PER_CALL) {
    const batch = children.slice(start, start + MESSAGES_PER_CALL);
    await queue.sendBatch(batch.map((child) => ({ body: { tenant, parent, child } })));
  }
  return { left: children, onTheWay: true };
}

/**
 * Gets the starts of children from their parent and starts them. Resolves to the children to retry. A child that can
 * never start is reported to the parent as failed. A child is skipped if its parent is gone or no longer waits for it.
 */
export async function startChildren(
  objects: RunObjects,
  { tenant, parent, children }: ChildPointers,
): Promise<readonly string[]> {
  let starts: ReadonlyArray<RunStart | undefined>;
  try {
    starts = await callRun(objects, { tenant, id: parent }, ["childStarts", children]);
  } catch (error) {
    return EngineError.is(error) && error.code === "not_found" ? [] : children;
  }
  const wanted = new Map(children.map((child, index) => [child, starts[index]]));
  return leftOf(children, async (runId) => {
    const start = wanted.get(runId);
    if (start === undefined) return;
    try {
      await callRun(objects, { tenant, id: runId }, ["begin", start]);
    } catch (error) {
      // An unexpected error is a storage fault, and the next attempt may succeed.
      if (!EngineError.is(error) || error.retryable || error.code === "internal") throw error;
      await failChild(objects, { tenant, parent, child: runId }, error);
    }
  });
}

/** Reports to a parent that a child will never start. */
export async function failChild(
  objects: RunObjects,
  { tenant, parent, child }: TaskMessage,
  error: unknown,
): Promise<void> {
  const report = { runId: child, status: "failed", usage: NO_USAGE } as const;
  try {
    const ended = { ...report, error: toErrorRecord(error) };
    await callRun(objects, { tenant, id: parent }, ["childEnded", ended]);
  } catch (failure) {
    if (!EngineError.is(failure) || failure.code !== "not_found") throw failure;
  }
}

/** Runs a task for each item, several at once. Resolves to the items that failed. */
async function leftOf(
  ids: readonly string[],
  act: (id: string) => Promise<void>,
): Promise<readonly string[]> {
  const failed = await mapAtMost(ids, WIDTH, (id) =>
    act(id).then(
      () => [],
      () => [id],
    ),
  );
  return failed.flat();
}
