/**
 * An `AbortController` also aborted by a signal, with the signal's reason. Creating one and passing its signal to
 * `fetch` costs a quarter of `AbortSignal.any` in Node, but it must be released: the signal may outlive it.
 */
export class LinkedAbort extends AbortController {
  readonly #source: AbortSignal;
  readonly #follow = (): void => this.abort(this.#source.reason);

  constructor(source: AbortSignal) {
    super();
    this.#source = source;
    if (source.aborted) this.#follow();
    else source.addEventListener("abort", this.#follow, { once: true });
  }

  /** Disconnects it from the signal. */
  release(): void {
    this.#source.removeEventListener("abort", this.#follow);
  }
}
