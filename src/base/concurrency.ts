/**
 * Calls `work` for each item in order, at most `limit` at once. Resolves to the results in the order of the items; rejects
 * with the first error. Work already begun is not stopped by an error: catch inside `work` where one item's failure must not
 * keep others from being worked on.
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
      // oxlint-disable-next-line no-await-in-loop -- each worker takes one item after the other
      results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
