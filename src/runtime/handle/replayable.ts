/**
 * Items of a source for any number of readers, each from the first item on, also after its end. The source is started
 * by the first reader, and read as far as the fastest. An error of the source ends every reader with it.
 */
export class Replayable<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  readonly #source: () => AsyncIterator<Item>;
  #iterator: AsyncIterator<Item> | undefined;
  #pulling: Promise<void> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(source: () => AsyncIterator<Item>) {
    this.#source = source;
  }

  /** Items so far. */
  get items(): readonly Item[] {
    return [...this.#items];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    for (let index = 0; ; index++) {
      while (index >= this.#items.length) {
        if (this.#end !== undefined) {
          if ("error" in this.#end) throw this.#end.error;
          return;
        }
        await (this.#pulling ??= this.#pull());
      }
      yield this.#items[index] as Item;
    }
  }

  async #pull(): Promise<void> {
    try {
      this.#iterator ??= this.#source();
      const { done, value } = await this.#iterator.next();
      if (done) this.#end = {};
      else this.#items.push(value);
    } catch (error) {
      this.#end = { error };
    } finally {
      this.#pulling = undefined;
    }
  }
}
