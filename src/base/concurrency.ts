/**
 * Calls `work` for each item in order, with at most `limit` concurrent calls. Resolves to the results in the order of
 * the items; rejects with the first error. An error does not stop work already begun: catch inside `work` if one item's
 * failure must not block the others.
 */
export async function mapAtMost<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

const queues = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Runs the work once all earlier work on the same thing of an owner has ended, successfully or not. */
export function inTurn<T>(owner: object, thing: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(owner) ?? new Map<string, Promise<unknown>>();
  queues.set(owner, queue);
  const done = (queue.get(thing) ?? Promise.resolve()).then(work, work);
  queue.set(thing, done);
  const leave = (): void => {
    if (queue.get(thing) === done) queue.delete(thing);
  };
  done.then(leave, leave);
  return done;
}
