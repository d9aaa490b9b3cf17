// Limits the stored results in one answer.
//
//   VP1. A page ends before the result that would exceed its length, so no page grows with the size of results.
//   VP2. A result too long for any page is left out, and replaced by its length.

/** The results of a page together, in UTF-16 units of JSON; a page of one result may be longer. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;
/** Maximum length of one result. The platform transfers 32 MiB, and a unit takes up to three bytes. */
const MAX_RESULT_LENGTH = 8 * 1024 * 1024;

/** The results of one page, as they are added. */
export class ValuePage {
  #length = 0;

  /** True when a result of this length belongs to the next page. */
  isFullFor(length: number): boolean {
    return this.#length > 0 && this.#length + length > MAX_PAGE_LENGTH && !this.omits(length);
  }

  /** True when no page takes a result of this length. */
  omits(length: number): boolean {
    return length > MAX_RESULT_LENGTH;
  }

  add(length: number): void {
    this.#length += length;
  }
}
