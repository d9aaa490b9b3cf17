export type Refusal<T> = { readonly item: T; readonly error: unknown };

const AT_ONCE = 5;

/** Applies the action to each item, five at once. Returns the failed ones, in order. */
export async function inBatches<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
  onProgress: (done: number) => void = () => undefined,
): Promise<readonly Refusal<T>[]> {
  const refused: (Refusal<T> | undefined)[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index] as T;
      await action(item).catch((error: unknown) => (refused[index] = { item, error }));
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return refused.filter((each) => each !== undefined);
}
