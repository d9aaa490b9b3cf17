// Consumer of the queue `TASKS`: starts child runs. It never runs them.
import { log, type LogFields } from "../base/log.ts";
import { EngineError } from "../base/error.ts";
import { isJsonObject } from "../base/json.ts";
import { failChild, startChildren, type TaskMessage } from "./runs/child-starter.ts";
import { callRun, type RunObjects } from "./runs/run-object-api.ts";

/** Used part of a queue's message. */
export interface QueuedMessage {
  readonly body: unknown;
  readonly attempts: number;
  ack(): void;
  retry(options?: { readonly delaySeconds?: number }): void;
}

const MAX_RETRY_SECONDS = 60;

/** Starts the children named in the messages. Each message is settled separately. */
export async function startQueued(
  messages: readonly QueuedMessage[],
  objects: RunObjects,
): Promise<void> {
  const byParent = Map.groupBy(readable(messages), ({ task }) => `${task.tenant}/${task.parent}`);
  await Promise.all(
    Array.from(byParent.values(), async (group) => {
      const [first] = group;
      if (first === undefined) return;
      const { tenant, parent } = first.task;
      const children = [...new Set(group.map(({ task }) => task.child))];
      const left = new Set(await startChildren(objects, { tenant, parent, children }));
      const begun = children.filter((child) => !left.has(child));
      // An unnotified parent sends them again, which is harmless.
      if (begun.length > 0)
        await callRun(objects, { tenant, id: parent }, ["childrenBegun", begun]).catch(() => {});
      for (const { message, task } of group) {
        if (!left.has(task.child)) message.ack();
        else message.retry({ delaySeconds: Math.min(MAX_RETRY_SECONDS, 2 ** message.attempts) });
      }
    }),
  );
}

/**
 * Reports children whose messages failed permanently to their parents, as they will never start. Returns these
 * children.
 */
export async function failQueued(
  messages: readonly QueuedMessage[],
  objects: RunObjects,
): Promise<readonly LogFields[]> {
  const failed: LogFields[] = [];
  const error = new EngineError(
    "unavailable",
    "the run could not be started: the queue gave its message up after several attempts",
  );
  await Promise.all(
    readable(messages).map(async ({ message, task }) => {
      try {
        await failChild(objects, task, error);
        const fields = { tenant: task.tenant, run: task.child };
        log("dead_letter", fields);
        failed.push(fields);
        message.ack();
      } catch {
        message.retry({ delaySeconds: Math.min(MAX_RETRY_SECONDS, 2 ** message.attempts) });
      }
    }),
  );
  return failed;
}

/** Returns the valid messages. Acknowledges all others, as they will never become readable. */
function readable(
  messages: readonly QueuedMessage[],
): ReadonlyArray<{ readonly message: QueuedMessage; readonly task: TaskMessage }> {
  return messages.flatMap((message) => {
    const { body } = message;
    if (isTask(body)) return [{ message, task: body }];
    message.ack();
    return [];
  });
}

function isTask(body: unknown): body is TaskMessage {
  if (!isJsonObject(body)) return false;
  return ["tenant", "parent", "child"].every((field) => typeof body[field] === "string");
}
