// Starts child runs, and has the rest of a parent's wishes about them carried out. docs/design/fan-out.md has the rules.
import { mapAtMost } from "../base/concurrency.ts";
import { EngineError, toErrorRecord } from "../base/error.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { ChildPointers } from "../runtime/child-run.ts";
import type { Dispatched, OutboxSink } from "../runtime/outbox.ts";
import type { RunStart } from "../runtime/run.ts";
import { fromResult } from "./rpc-result.ts";
import { runObjectName, type RunObjectApi } from "./run-object-api.ts";

/** Objects that are asked at once. */
const WIDTH = 8;
/** Messages that a queue takes in one call. */
const MESSAGES_PER_CALL = 100;

/** The part of a Durable Object namespace that is needed. */
export interface RunObjects {
  getByName(
    name: string,
  ): Pick<RunObjectApi, "begin" | "childStarts" | "childrenBegun" | "childEnded" | "cancel">;
}

/** Names a child to be started; what with, its parent knows. */
export type TaskMessage = {
  readonly tenant: string;
  readonly parent: string;
  readonly child: string;
};

/** The part of a queue that is needed; a `Queue<TaskMessage>` fits it. */
export interface TaskQueue {
  sendBatch(messages: Iterable<{ readonly body: TaskMessage }>): Promise<unknown>;
}

/** Carries out what a run owes to its children and its parent. With a queue, starts pass through it. */
export function childCouriers(
  objects: RunObjects,
  queue: TaskQueue | undefined,
): Required<Pick<OutboxSink, "dispatch" | "report" | "cancel">> {
  return {
    dispatch:
      queue === undefined
        ? async (pointers) => ({ left: await startChildren(objects, pointers) })
        : (pointers) => send(queue, pointers),
    report: ({ tenant, id }, report) =>
      fromResult(objects.getByName(runObjectName(tenant, id)).childEnded(report)),
    cancel: async ({ tenant, children }, reason) =>
      leftOf(children, async (id) => {
        try {
          await fromResult(objects.getByName(runObjectName(tenant, id)).cancel(reason));
        } catch (error) {
          if (!EngineError.is(error) || error.code !== "conflict") throw error; // it has ended
        }
      }),
  };
}

async function send(
  queue: TaskQueue,
  { tenant, parent, children }: ChildPointers,
): Promise<Dispatched> {
  for (let start = 0; start < children.length; start += MESSAGES_PER_CALL) {
    const lot = children.slice(start, start + MESSAGES_PER_CALL);
    await queue.sendBatch(lot.map((child) => ({ body: { tenant, parent, child } })));
  }
  return { left: children, onTheWay: true };
}

/**
 * Asks the parent what its children are to be started with, and starts them. Answers those that are to be tried again. One that
 * can never be started is reported to the parent as failed; one that nobody waits for, or whose parent is gone, is left.
 */
export async function startChildren(
  objects: RunObjects,
  { tenant, parent, children }: ChildPointers,
): Promise<readonly string[]> {
  const waiting = objects.getByName(runObjectName(tenant, parent));
  let starts: ReadonlyArray<RunStart | undefined>;
  try {
    starts = await fromResult(waiting.childStarts(children));
  } catch (error) {
    return EngineError.is(error) && error.code === "not_found" ? [] : children;
  }
  const wanted = new Map(children.map((child, index) => [child, starts[index]]));
  return leftOf(children, async (runId) => {
    const start = wanted.get(runId);
    if (start === undefined) return;
    try {
      await fromResult(objects.getByName(runObjectName(tenant, runId)).begin(start));
    } catch (error) {
      if (!EngineError.is(error) || error.retryable) throw error;
      await failChild(objects, { tenant, parent, child: runId }, error);
    }
  });
}

/** Tells a parent that a child will never be. */
export async function failChild(
  objects: RunObjects,
  { tenant, parent, child }: TaskMessage,
  error: unknown,
): Promise<void> {
  const report = { runId: child, status: "failed", usage: NO_USAGE } as const;
  try {
    await fromResult(
      objects
        .getByName(runObjectName(tenant, parent))
        .childEnded({ ...report, error: toErrorRecord(error) }),
    );
  } catch (failure) {
    if (!EngineError.is(failure) || failure.code !== "not_found") throw failure;
  }
}

/** Does something for each, some at once; resolves to those for which it failed. */
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
